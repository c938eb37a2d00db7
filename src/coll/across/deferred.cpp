#include "coll/across/deferred.hpp"

#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"

namespace weft::coll::across {

void Deferred::post(std::uint32_t step) noexcept {
  party_.post(step);
  awaited_ = 0;
}

// Those seen there are not looked at again.
bool Deferred::all_have_come(std::uint32_t step) noexcept {
  while (awaited_ < party_.size() && party_.has_come(awaited_, step)) {
    ++awaited_;
  }
  return awaited_ == party_.size();
}

std::size_t Deferred::need(const group::Span& span, const Reduce& call) noexcept {
  const bool by_members = call.ordered && !span.in_order;
  return Combining::need(by_members ? span.members.size : span.count, call.count, call.element) +
         Piece::need(call.element);
}

std::size_t Deferred::need(const group::Span& span, const Alltoall& call) noexcept {
  return call.count > 0 && Relay::is_for(span, call) ? Relay::need(span, call) : 0;
}

template <class Steps>
bool Deferred::all_done(Steps& steps) noexcept {
  while (messages_.done()) {
    if (!steps.step()) {
      return true;
    }
  }
  return false;
}

bool Deferred::advance_barrier() noexcept {
  if (stage_ == 0) {
    post(1);
    stage_ = 1;
  }
  if (!leads(party_)) {
    return party_.has_come(0, 2);
  }
  if (stage_ == 1) {
    if (!all_have_come(1)) {
      return false;
    }
    meeting_.emplace(Speakers(span_), messages_);
    stage_ = 2;
  }
  if (!all_done(*meeting_)) {
    return false;
  }
  post(2);
  return true;
}

void Deferred::copy_to_domain(const Broadcast& call, const void* from) noexcept {
  for (int distance = call.dest == from ? 1 : 0; distance < party_.size(); ++distance) {
    copy::copy(party_.at(call.dest, party_.after(distance)), from, call.bytes);
  }
  post(1);
}

bool Deferred::advance(const Broadcast& call) noexcept {
  if (call.bytes == 0) {
    return true;
  }
  const int from = span_.find(call.root);
  const int speaker = from == span_.mine ? span_.domains[from].seat(call.root) : 0;
  if (party_.me() != speaker) {
    return party_.has_come(speaker, 1);
  }
  const Speakers speakers(span_, call.root);
  if (stage_ == 0) {
    hear(speakers, messages_, from, call.dest, call.bytes);
    stage_ = 1;
  }
  if (!messages_.done()) {
    return false;
  }
  if (stage_ == 1) {
    const void* data = from == span_.mine ? call.source : call.dest;
    pass_on(speakers, messages_, from, data, call.bytes);
    copy_to_domain(call, data);
    stage_ = 2;
  }
  return messages_.done();
}

bool Deferred::advance(const Alltoall& call) noexcept {
  if (call.count == 0) {
    return true;
  }
  if (stage_ == 0) {
    relays_ = Relay::is_for(span_, call);
    if (!relays_) {
      exchange_with_others(party_, call, messages_);
    }
    put_blocks_here(party_, call);
    post(1);
    stage_ = 1;
  }
  if (!messages_.done() || !all_have_come(1)) {
    return false;
  }
  return !relays_ || relay(call);
}

bool Deferred::relay(const Alltoall& call) noexcept {
  if (!leads(party_)) {
    return party_.has_come(0, 2);
  }
  if (stage_ == 1) {
    relay_.emplace(party_, call, messages_);
    stage_ = 2;
  }
  if (!all_done(*relay_)) {
    return false;
  }
  post(2);
  return true;
}

bool Deferred::advance(const Reduce& call) noexcept {
  if (call.count == 0) {
    return true;
  }
  if (call.ordered && !span_.in_order) {
    return reduce_in_order(call);
  }
  if (stage_ == 0) {
    post(1);
    stage_ = 1;
  }
  if (stage_ == 1) {
    if (!all_have_come(1)) {
      return false;
    }
    combine_for_leader(party_, call);
    post(2);
    stage_ = 2;
  }
  if (leads(party_)) {
    return reduce_as_leader(call);
  }
  if (!party_.has_come(0, 3)) {
    return false;
  }
  copy::copy(call.dest, party_.at(call.dest, 0), call.count * call.element);
  post(4);
  return true;
}

// Each member for itself, by messages alone: domains lie between each other, so theirs is not the members' order.
bool Deferred::reduce_in_order(const Reduce& call) noexcept {
  if (stage_ == 0) {
    if (call.dest != call.source) {
      copy::copy(call.dest, call.source, call.count * call.element);
    }
    combining_.emplace(Speakers(party_.members(), party_.number()), Talk{messages_, party_.room()}, call.dest,
                       Elements{call.count, call.element, call.combine});
    stage_ = 1;
  }
  return all_done(*combining_);
}

bool Deferred::reduce_as_leader(const Reduce& call) noexcept {
  if (stage_ == 2) {
    if (!all_have_come(2)) {
      return false;
    }
    combining_.emplace(Speakers(span_), Talk{messages_, party_.room()}, call.dest,
                       Elements{call.count, call.element, call.combine});
    stage_ = 3;
  }
  if (stage_ == 3) {
    if (!all_done(*combining_)) {
      return false;
    }
    post(3);
    stage_ = 4;
  }
  return all_have_come(4);
}

}  // namespace weft::coll::across
