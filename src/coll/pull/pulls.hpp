// What members let each other read in a call: all of it at once where it is symmetric or can be had by one copy, else
// piece by piece in the members' stages.
#pragma once

#include <algorithm>

#include "coll/choose.hpp"
#include "coll/forms.hpp"
#include "coll/pull/shown.hpp"
#include "coll/scratch.hpp"
#include "copy/staged.hpp"

namespace weft::coll {

/// Bytes [begin, end) of each member's source can be read.
class Offered {
 public:
  /// Symmetric, or of one member only; in stages, from `begin` on; in words; or shown.
  Offered(const Party& party, const void* source, std::size_t end) noexcept
      : party_(party), source_(static_cast<const std::byte*>(source)), end_(end) {}
  Offered(const Party& party, std::size_t begin, std::size_t end) noexcept
      : party_(party), begin_(begin), end_(end), staged_(true) {}
  static Offered in_words(const Party& party, std::size_t end) noexcept {
    Offered offered(party, std::size_t{0}, end);
    offered.words_ = true;
    return offered;
  }
  Offered(const Party& party, Shown& shown, const void* source, std::size_t end) noexcept
      : party_(party), source_(static_cast<const std::byte*>(source)), end_(end), shown_(&shown) {}

  std::size_t begin() const noexcept { return begin_; }
  std::size_t end() const noexcept { return end_; }
  /// What is looked at lies in stages, or in words.
  bool is_staged() const noexcept { return staged_; }
  /// What is looked at of others is copied first.
  bool copies() const noexcept { return shown_ != nullptr; }
  /// `bytes` from byte `offset` on of a member's source, which are some of those: where they are, or in `room`. Null:
  /// they cannot be read so, and all is offered once more.
  const std::byte* look(int member, std::size_t offset, std::size_t bytes, std::byte* room) const noexcept {
    if (words_) {
      return reinterpret_cast<const std::byte*>(party_.shown(member)) + offset;
    }
    if (staged_) {
      return party_.staged(member) + (offset - begin_);
    }
    if (shown_ == nullptr) {
      return party_.at(source_ + offset, member);
    }
    return member == party_.me() ? source_ + offset : shown_->read(room, member, offset, bytes) ? room : nullptr;
  }
  /// Of a member's bytes from `first` on those that can be read now, to where they belong in `to`.
  void take(void* to, int member, std::size_t first, std::size_t bytes) const noexcept {
    const std::size_t lo = std::max(begin_, first);
    const std::size_t hi = std::min(end_, first + bytes);
    if (lo >= hi) {
      return;
    }
    std::byte* target = static_cast<std::byte*>(to) + (lo - first);
    const std::byte* from = look(member, lo, hi - lo, target);
    if (from != target && from != nullptr) {
      copy::copy(target, from, hi - lo);
    }
  }

 private:
  const Party& party_;
  const std::byte* source_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_;
  bool staged_ = false;
  bool words_ = false;
  Shown* shown_ = nullptr;
};

/// Of what pull() says, the part that goes through the stages.
struct Staging {
  const void* source;
  std::size_t mine;
  std::size_t most;
  std::size_t grain;
  bool wants = true;      // this member reads
  bool doubtful = false;  // a source may be no memory
};
template <class Body>
void pull_by_stages(Party& party, const Staging& staging, Body&& body) noexcept {
  const std::size_t step = party.staged_bytes() / staging.grain * staging.grain;
  // With a processor each, the others wait for the lines of the only piece.
  const bool ahead = staging.most > step || party.has_large_stages();
  for (std::size_t at = 0; at < staging.most; at += step) {
    party.next_stage_half();
    if (at < staging.mine) {
      const std::byte* from = static_cast<const std::byte*>(staging.source) + at;
      const std::size_t bytes = std::min(step, staging.mine - at);
      if (staging.doubtful) [[unlikely]] {
        copy_doubtful(party, party.staged(party.me()), from, bytes);
      } else if (ahead) {
        copy::copy_staged(party.staged(party.me()), from, bytes);
      } else {
        copy::copy(party.staged(party.me()), from, bytes);
      }
    }
    // One meeting a piece: the next one is put into the other half, and the one after that behind another meeting.
    party.barrier();
    if (staging.wants) {
      body(Offered(party, at, std::min(staging.most, at + step)));
    }
    party.has_looked();
  }
}

/// Few bytes go in the line that says that they are there. It takes a look at each member, where a meeting takes some.
inline bool goes_in_words(const Party& party, std::size_t most) noexcept {
  constexpr int kMostMembers = 16;
  return most <= group::kWords * sizeof(std::uint64_t) && party.size() <= kMostMembers;
}
template <class Body>
void pull_by_words(Party& party, const void* source, std::size_t mine, std::size_t most, Body&& body) noexcept {
  party.next_stage();
  std::uint64_t packed[group::kWords]{};
  if (mine > 0) {
    std::memcpy(packed, source, mine);
  }
  std::atomic<std::uint64_t>* const words = party.to_show();
  for (std::size_t k = 0; k * sizeof(std::uint64_t) < mine; ++k) {
    // Relaxed: exchange() publishes them. Others read the last ones, of two exchanges before, no more.
    words[k].store(packed[k], std::memory_order_relaxed);
  }
  party.exchange();
  body(Offered::in_words(party, most));
}

/// Whether sources of at most `most` bytes, of which `reads` says what is made, go through the stages: not where they
/// are symmetric, nor in words, nor shown. The same on all members.
inline bool goes_by_stages(const Party& party, Reached reached, std::size_t most, Reads reads) noexcept {
  if (most == 0 || reached == Reached::kSymmetric || party.size() == 1 || goes_in_words(party, most)) {
    return false;
  }
  return reached != Reached::kShown || !party.reads_directly() ||
         pull_algorithm(reads, most, party.size(), party.has_large_stages()) == PullAlgorithm::staged;
}

/// Whether a root may give its bytes to the others piece by piece, ahead of them; the same on all.
inline bool may_stream(const Party& party, Reached reached) noexcept {
  return reached != Reached::kSymmetric && party.may_stream() && nobody_chose_pull();
}

/// What each member of the domain offers, `mine` bytes of this one's source and at most `most` of any, is read by body,
/// called with an Offered for each piece, of whole grains. A grain fits a stage. All members call it alike. Where
/// sources are shown, body may be called with everything and then with all of the pieces: what it writes is nobody's
/// source. `reads` and `owner`, the same on all: what the body makes of it, and the only member whose source it reads.
template <class Body>
void pull(Party& party, Reached reached, const void* source, std::size_t mine, std::size_t most, std::size_t grain,
          Body&& body, Reads reads = Reads::all, int owner = Shown::kEverybody) noexcept {
  if (most == 0) {
    return;
  }
  if (reached == Reached::kSymmetric || party.size() == 1) {
    party.barrier();
    body(Offered(party, source, most));
    party.barrier();
    return;
  }
  if (goes_in_words(party, most)) {
    pull_by_words(party, source, mine, most, body);
    return;
  }
  Staging staging{source, mine, most, grain};
  if (!goes_by_stages(party, reached, most, reads)) {
    Shown shown(party, source, mine, owner);
    body(Offered(party, shown, source, most));
    if (shown.all_have_read()) {
      return;
    }
    staging.wants = shown.failed();
    staging.doubtful = shown.is_doubtful();
  }
  pull_by_stages(party, staging, body);
}

/// Behind that: no buffer of this member's was missing.
inline bool has_all(const Party& party) noexcept { return party.missing() == nullptr; }

/// How what a member has put together for the others is reached, in a call whose sources are reached so.
constexpr Reached own_memory(Reached reached) noexcept {
  return reached == Reached::kSymmetric ? Reached::kStaged : reached;
}

/// The number of a member of the domain among all members.
inline int member_of(const Party& party, int seat) noexcept {
  const group::Span* span = party.span();
  return span == nullptr ? seat : span->domains[span->mine].member(seat);
}
/// Its seat in this PE's domain; -1 when it is in another one.
inline int seat_of(const Party& party, int member) noexcept {
  const group::Span* span = party.span();
  return span == nullptr ? member : span->domains[span->mine].seat(member);
}

}  // namespace weft::coll
