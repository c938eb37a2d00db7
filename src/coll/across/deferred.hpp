// Non-blocking calls where the members are in several domains: what is to do next, done when it can be done.
#pragma once

#include <optional>

#include "coll/across/combining.hpp"
#include "coll/across/relay.hpp"
#include "coll/across/stages.hpp"

namespace weft::coll::across {

/// One call of this member. Each advance() does what can be done now; true when nothing is left. The party has room for
/// what need() says.
class Deferred {
 public:
  static std::size_t need(const group::Span& span, const Reduce& call) noexcept;
  static std::size_t need(const group::Span& span, const Alltoall& call) noexcept;  // of a leader

  explicit Deferred(Party& party) noexcept : party_(party), span_(*party.span()), messages_(messages_of(party)) {}

  bool advance_barrier() noexcept;
  bool advance(const Broadcast& call) noexcept;
  bool advance(const Alltoall& call) noexcept;
  bool advance(const Reduce& call) noexcept;

 private:
  void post(std::uint32_t step) noexcept;
  bool all_have_come(std::uint32_t step) noexcept;
  void copy_to_domain(const Broadcast& call, const void* from) noexcept;
  /// Goes on through the steps of what has some, as far as their messages are complete. True: there are no more.
  template <class Steps>
  bool all_done(Steps& steps) noexcept;
  bool relay(const Alltoall& call) noexcept;
  bool reduce_as_leader(const Reduce& call) noexcept;
  bool reduce_in_order(const Reduce& call) noexcept;

  Party& party_;
  const group::Span& span_;
  Messages messages_;
  int stage_ = 0;
  int awaited_ = 0;  // the member of the domain that is looked at next
  bool relays_ = false;
  std::optional<MeetingOfAll> meeting_;
  std::optional<Combining> combining_;
  std::optional<Relay> relay_;
};

}  // namespace weft::coll::across
