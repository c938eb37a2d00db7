#include "coll/span/span.hpp"
#include "coll/span/speakers.hpp"
#include "coll/span/stages.hpp"

namespace weft::coll::span {

// The root speaks for its domain, so that its data need not go to a leader first.
void broadcast(Group& group, const Broadcast& call) noexcept {
  const rma::Span& span = *group.span();
  const int from = span.find(call.root);
  const bool roots_domain = from == span.mine;
  Broadcast here = call;
  here.root = roots_domain ? span.domains[from].seat(call.root) : 0;
  if (!roots_domain) {
    here.source = call.dest;
  }
  Messages messages = messages_of(group);
  if (group.me() == here.root) {
    const Speakers speakers(span, call.root);
    hear(speakers, messages, from, call.dest, call.bytes);
    messages.wait();
    pass_on(speakers, messages, from, here.source, call.bytes);
  }
  broadcast_here(group, here);
}

}  // namespace weft::coll::span
