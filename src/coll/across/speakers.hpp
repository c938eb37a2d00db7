// The stage between nodes: what those do who speak for a domain each.
//
// These functions know nothing of nodes and shared memory; all speakers call them alike.
#pragma once

#include "coll/across/messages.hpp"
#include "coll/algorithms.hpp"
#include "coll/scratch.hpp"
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

/// All have come.
void meet(const Speakers& speakers, Messages& messages) noexcept;

/// From the one who is `root` to all, in a tree: begins to receive what the others begin to pass on when they have it.
void hear(const Speakers& speakers, Messages& messages, int root, void* data, std::size_t bytes) noexcept;
void pass_on(const Speakers& speakers, Messages& messages, int root, const void* data, std::size_t bytes) noexcept;

/// How elements are combined.
struct Elements {
  std::size_t count;
  std::size_t element;  // bytes
  Combine combine;

  std::size_t bytes() const noexcept { return count * element; }
};

/// What the following need beside their data: messages, and memory that the call has asked for.
struct Talk {
  Messages& messages;
  Room& room;
};

/// Everybody combines a share of the elements, in the order of the speakers, and tells all.
class Shares {
 public:
  Shares(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept;
  /// Memory for that.
  static std::size_t need(int speakers, std::size_t count, std::size_t element) noexcept;
  /// Two steps, each of which is complete when the messages are.
  void give_out() noexcept;
  void tell() noexcept;

 private:
  std::size_t bytes(int speaker) const noexcept;
  std::byte* at(int speaker) const noexcept;
  std::byte* part(int speaker) const noexcept { return room_.get() + mine_ * static_cast<std::size_t>(speaker); }

  Speakers speakers_;
  Messages& messages_;
  std::byte* data_;
  Elements elements_;
  std::size_t mine_;  // bytes of this one's share
  Scratch room_;      // that share of the others
};

/// What all have in `data` is combined in their order; all get the same bits. Words of a station need no memory.
void combine_all(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept;
std::size_t need_of_all(int speakers, std::size_t count, std::size_t element) noexcept;

/// `before` becomes the combination of what those before this one have in `data`, which is used up. False where there
/// are none.
bool combine_before(const Speakers& speakers, Talk talk, void* data, void* before, const Elements& elements) noexcept;
std::size_t need_before(std::size_t bytes) noexcept;

/// Each leader has the blocks of its domain's members in `dest`; all get all blocks.
void exchange_blocks(const group::Span& span, Messages& messages, std::byte* dest, const Blocks& blocks) noexcept;

}  // namespace weft::coll::across
