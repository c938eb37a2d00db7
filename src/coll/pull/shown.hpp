// Sources that members read by one copy, each where it lies in its own process: the address is shown in the words of
// the team's stations, and reach finds out what is permitted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/party.hpp"
#include "reach/neighbours.hpp"

namespace weft::coll {

class Shown {
 public:
  /// All members of the domain call it, each with its own source, and have shown theirs when it returns. With an owner
  /// only that member's source is read, and it waits for nobody.
  Shown(Party& party, const void* source, std::size_t bytes, int owner = kEverybody) noexcept;
  static constexpr int kEverybody = -1;
  ~Shown() noexcept;
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  /// Bytes of another member's source. False where they cannot be had so; then nothing more is read, and this member
  /// needs all of it by other means; or where no memory is at `to`, which the party is told: it needs nothing more
  /// then.
  bool read(void* to, int member, std::size_t offset, std::size_t bytes) noexcept;

  /// All members of the domain call it, when they have read what they want. True when each of them has.
  bool all_have_read() noexcept;
  /// After that: this member has not.
  bool failed() const noexcept { return (own_ & kFailed) != 0; }
  /// And: somebody found no memory where another one said that it is. Who gave a wrong address can tell best.
  bool is_doubtful() const noexcept { return (all_ & kDoubtful) != 0; }

 private:
  void exchange() noexcept;
  void hand_out(int owner) noexcept;

  static constexpr std::uint64_t kFailed = 1;
  static constexpr std::uint64_t kForbidden = 2;
  static constexpr std::uint64_t kDoubtful = 4;
  static constexpr std::uint64_t kNoTarget = 8;  // nobody else's affair

  Party& party_;
  reach::Self& self_;
  reach::Place place_;
  reach::Place owners_{};
  bool handed_out_ = false;
  std::uint64_t own_ = 0;
  std::uint64_t all_ = 0;
};

/// As memcpy; zeros, of which the party is told, when `from` is no memory of this PE.
void copy_doubtful(Party& party, void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace weft::coll
