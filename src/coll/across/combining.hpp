// Combining what speakers have, by rounds of messages between few of them.
#pragma once

#include <optional>

#include "coll/across/speakers.hpp"

namespace weft::coll::across {

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

/// So little is kept without asking for memory.
inline constexpr std::size_t kFew = group::kWords * sizeof(std::uint64_t);

/// Everybody combines a share of the elements, in the order of the speakers, and tells all: nothing passes the network
/// twice, and each has to do with each.
class Shares {
 public:
  Shares(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept;
  static std::size_t need(int speakers, std::size_t count, std::size_t element) noexcept;
  /// As Combining's.
  bool step() noexcept;

 private:
  void give_out() noexcept;
  void tell() noexcept;
  std::size_t bytes(int speaker) const noexcept;
  std::byte* at(int speaker) const noexcept;
  std::byte* part(int speaker) const noexcept { return room_.get() + mine_ * static_cast<std::size_t>(speaker); }

  Speakers speakers_;
  Messages& messages_;
  std::byte* data_;
  Elements elements_;
  std::size_t mine_;  // bytes of this one's share
  Scratch room_;      // that share of the others
  int steps_ = 0;
};

/// In each round everybody combines what twice as many had: of few bytes all, as what counts is how often somebody
/// waits for a message; of many the half that its partner does not, which come together again in as many rounds.
/// Speakers beyond a power of two give theirs to a neighbour first and get the result from it.
class Doubling {
 public:
  Doubling(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept;
  static std::size_t need(std::size_t bytes) noexcept { return bytes <= kFew ? 0 : Room::need(bytes); }
  /// As Combining's.
  bool step() noexcept;

 private:
  enum class Stage : std::uint8_t { kJoins, kCombines, kTells, kGave, kOver };
  struct Part {
    std::size_t begin;
    std::size_t end;
  };

  bool join() noexcept;
  bool combine() noexcept;
  bool tell() noexcept;
  void take_in() noexcept;
  bool has_neighbour() const noexcept { return speakers_.me() < 2 * pairs_; }
  int partner(int round) const noexcept;
  /// Of this one, or of its partner in that round, behind so many rounds.
  Part part(int place, int rounds) const noexcept;
  void send(int speaker, const std::byte* from, const Part& what) noexcept;
  void receive(int speaker, std::byte* to, const Part& what) noexcept;

  Speakers speakers_;
  Messages& messages_;
  Elements elements_;
  int rounds_;
  int pairs_;
  int place_;
  bool halves_;
  Stage stage_ = Stage::kJoins;
  int round_ = 0;
  bool comes_ = false;        // something that is to be combined,
  bool comes_first_ = false;  // before what is here,
  Part coming_{};             // these elements
  std::byte* const data_;
  std::byte* mine_;
  std::byte* theirs_;
  Scratch more_;
  alignas(64) std::byte few_[kFew];
};

/// What all have in `data` is combined in their order; all get the same bits.
class Combining {
 public:
  Combining(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept;
  static std::size_t need(int speakers, std::size_t count, std::size_t element) noexcept;
  /// Begins the messages of the next step, when those of the one before are complete. False: there is none, and `data`
  /// has the result.
  bool step() noexcept { return shares_ ? shares_->step() : doubling_->step(); }

 private:
  std::optional<Shares> shares_;
  std::optional<Doubling> doubling_;
};

/// The same piece after piece, which bounds the memory needed, and waits for the messages.
void combine_all(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept;
std::size_t need_of_all(int speakers, std::size_t count, std::size_t element) noexcept;

/// `before` becomes the combination of what those before this one have in `data`, which is used up. False where there
/// are none.
bool combine_before(const Speakers& speakers, Talk talk, void* data, void* before, const Elements& elements) noexcept;
std::size_t need_before(std::size_t bytes) noexcept;

}  // namespace weft::coll::across
