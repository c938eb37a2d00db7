// The stage between nodes: what those do who speak for a domain each.
//
// These functions know nothing of nodes and shared memory; all speakers call them alike.
#pragma once

#include "coll/across/messages.hpp"
#include "coll/algorithms.hpp"
#include "group/domains.hpp"

namespace weft::coll::across {

class Speakers {
 public:
  /// The leaders of all domains.
  explicit Speakers(const group::Span& span) noexcept : members_(span.members), span_(&span), me_(span.mine) {}
  /// The leaders, but this member for its own domain.
  Speakers(const group::Span& span, int member) noexcept
      : members_(span.members), span_(&span), me_(span.mine), one_(span.find(member)), ones_member_(member) {}
  /// Each member for itself.
  Speakers(const group::Members& members, int me) noexcept : members_(members), me_(me) {}

  int me() const noexcept { return me_; }
  int size() const noexcept { return span_ == nullptr ? members_.size : span_->count; }
  int pe(int speaker) const noexcept {
    if (span_ == nullptr) {
      return members_.pe(speaker);
    }
    return speaker == one_ ? members_.pe(ones_member_) : span_->leader(speaker);
  }
  /// The speaker `distance` after this one, and before it, round and round.
  int after(int distance) const noexcept { return (me_ + distance) % size(); }
  int before(int distance) const noexcept { return (me_ + size() - distance) % size(); }

 private:
  group::Members members_;
  const group::Span* span_ = nullptr;
  int me_;
  int one_ = -1;
  int ones_member_ = 0;
};

/// All have come: a step for each doubling of the distance at which somebody is told.
class MeetingOfAll {
 public:
  MeetingOfAll(const Speakers& speakers, Messages& messages) noexcept : speakers_(speakers), messages_(messages) {}
  /// Begins the messages of the next step, when those of the one before are complete. False: there is none.
  bool step() noexcept;

 private:
  Speakers speakers_;
  Messages& messages_;
  int distance_ = 1;
  std::uint64_t heard_ = 0;
};
void meet(const Speakers& speakers, Messages& messages) noexcept;

/// From the one who is `root` to all, in a tree: begins to receive what the others begin to pass on when they have it.
void hear(const Speakers& speakers, Messages& messages, int root, void* data, std::size_t bytes) noexcept;
void pass_on(const Speakers& speakers, Messages& messages, int root, const void* data, std::size_t bytes) noexcept;

/// Each leader has the blocks of its domain's members in `dest`; all get all blocks, from few others: who has heard of
/// some passes them on.
void exchange_blocks(const group::Span& span, Messages& messages, std::byte* dest, const Blocks& blocks) noexcept;

}  // namespace weft::coll::across
