// What each PE shows the others in safe mode: a block of the symmetric heap that is taken before the program's first.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::check {

/// Collective calls on one set of PEs that a PE has made last: the newest of each remainder.
inline constexpr std::size_t kRemembered = 4;
/// Sets of PEs with which one PE may make collective calls; on more of them calls are not compared.
inline constexpr std::size_t kSets = 256;
inline constexpr std::size_t kPostedWords = 15;

/// A collective call: its number on its set of PEs, 0 for none, and what the others compare (agreement.cpp).
struct alignas(128) Posted {
  std::atomic<std::uint64_t> number;
  std::array<std::atomic<std::uint64_t>, kPostedWords> words;
};
static_assert(sizeof(Posted) == 128);

struct Board {
  std::atomic<std::uint32_t> told;  // on PE 0: somebody has reported a mistake
  alignas(128) std::array<std::atomic<std::uint64_t>, kSets> sets;
  std::array<std::array<Posted, kRemembered>, kSets> calls;
};

/// Collective, after shmem_init. Where the heap has no room for it there is none.
void set_up_board() noexcept;
/// After the last finalize, with which the heap has gone.
void forget_board() noexcept;

/// Null where there is none, and for PEs of other nodes. The PE's, in this PE's addresses.
Board* board_of(int pe) noexcept;

/// True once in a job, for the PE that came first.
bool first_to_report() noexcept;

}  // namespace weft::check
