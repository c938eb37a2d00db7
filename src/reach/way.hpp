// The ways by which one process copies from and to another one's memory, and what comes of a copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::reach {

/// In the order in which they are tried: an attachment costs nothing once it is there, process_vm_readv a system call,
/// and knem has to pin pages as well.
enum class Way : std::uint8_t { kXpmem, kCma, kKnem };
inline constexpr int kWays = 3;
inline constexpr int kNoWay = -1;

/// As WEFT_SINGLE_COPY has it.
const char* name_of(Way way) noexcept;

enum class Direction : std::uint8_t { kRead, kWrite };
inline constexpr int kDirections = 2;

enum class Outcome : std::uint8_t {
  kDone,
  kForbidden,   // by any way, or no longer: go on by other means
  kUnmapped,    // the peer has no such memory, or not for this direction
  kOwnMissing,  // the memory of this process that was given is not there
  kGone,        // the peer has ended
  kFailed,      // the kernel had no memory for it, or the like: errno is in `error`
};
const char* name_of(Outcome outcome) noexcept;

/// What a copy has come to. Where it is not done, so many bytes from the beginning are certain.
struct Moved {
  Outcome outcome = Outcome::kDone;
  int error = 0;
  std::uint64_t bytes = 0;
};

}  // namespace weft::reach
