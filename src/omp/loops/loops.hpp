// Work sharing: loops, sections and what else all threads of a team meet and one sets up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp {

/// A loop as the program has it: from start to end (exclusive) by step, upwards or downwards, in two's complement.
struct Bounds {
  std::uint64_t start = 0, end = 0, step = 1;
  bool up = true;
  bool wide = false;  // unsigned 64-bit numbers, as of GOMP_loop_ull_*
};
/// Share `n` of so many: sizes differ by one at most, the larger ones first.
inline void block(std::uint64_t count, std::uint64_t n, std::uint64_t number, std::uint64_t& from,
                  std::uint64_t& to) noexcept {
  const std::uint64_t each = count / n;
  const std::uint64_t larger = count % n;
  from = number * each + (number < larger ? number : larger);
  to = from + each + (number < larger ? 1 : 0);
}
Bounds bounds(long start, long end, long step) noexcept;
Bounds bounds(bool up, unsigned long long start, unsigned long long end, unsigned long long step) noexcept;

/// The next construct. First: this thread sets it up and then says so with ready().
struct Begun {
  Work& work;
  bool first;
};
Begun begin_work(Thread& self) noexcept;
void ready(Work& work) noexcept;
/// `site`, here and below: of the program's call.
void end_work(Thread& self, const void* site) noexcept;         // with a barrier
bool end_work_cancel(Thread& self, const void* site) noexcept;  // with one that cancellation opens
void end_work_nowait(Thread& self) noexcept;

struct Chunk {
  std::uint64_t begin, end;
};

/// The same among threads of several processes (far.cpp).
bool begin_far_single(Team& team, std::uint32_t number) noexcept;
bool next_far_chunk(Work& work, const Position& at, std::uint64_t& from, std::uint64_t& to) noexcept;
/// The same for kByHomes, which takes no questions (homes.cpp).
bool next_by_homes(Position& at, const Work& work, std::uint64_t& from, std::uint64_t& to) noexcept;
/// Pages of all that the loop has to do with are at home where somebody has said.
bool has_homes(const Affinity& affinity, std::uint64_t count) noexcept;
/// Number of the first thread of that process, of so many.
int first_thread(int process, int threads) noexcept;
/// The next chunk, and which of the loop's it is.
bool next_far_ticket(Work& work, const Position& at, Chunk& chunk, std::uint64_t& ticket) noexcept;
/// Among all of them: what the first process has that says so for this construct.
std::uint64_t claim(const Work& work, std::uint64_t value, unsigned which = 0) noexcept;
/// Zeros for all of them, in all processes the same, until the team's next region.
void* share_memory(Team& team, const Work& work, std::size_t bytes) noexcept;
void free_shared_memory(Team& team) noexcept;
/// Entry so-and-so of the construct is that high from now on; until it is. With what was written before.
inline constexpr std::uint64_t kTurns = ~std::uint64_t{0};
void post_far(const Work& work, std::uint64_t entry, std::uint64_t value) noexcept;
void await_far(const Work& work, std::uint64_t entry, std::uint64_t value, const Awaited& awaited) noexcept;

/// Whether this thread is the one that has the next single construct.
inline bool begin_single(Thread& self) noexcept {
  Team* const team = self.at.team;
  if (team == nullptr) {
    return true;
  }
  std::uint32_t mine = self.at.singles++;
  if (team->is_far) {
    return begin_far_single(*team, mine);
  }
  // Relaxed: only who is first; what it writes is passed on by the barrier at the end.
  return team->singles.load(std::memory_order_relaxed) == mine &&
         team->singles.compare_exchange_strong(mine, mine + 1, std::memory_order_relaxed);
}

/// schedule 0: as OMP_SCHEDULE says. `team` is how many share it.
void set_up(Thread& self, Work& work, const Bounds& loop, unsigned schedule, std::uint64_t chunk, int team) noexcept;
/// The loop of a region that begins with it.
void prepare(Thread& self, Team& team, const Bounds& loop, unsigned schedule, std::uint64_t chunk) noexcept;

/// The next chunk; false: there is none.
bool next_chunk_slowly(Thread& self, Chunk& chunk) noexcept;
inline bool next_chunk(Thread& self, Chunk& chunk) noexcept {
  Work& work = *self.at.work;
  if (!work.quick) {
    return next_chunk_slowly(self, chunk);
  }
  // Read before the addition, which nothing behind it overtakes: another thread waits for the word meanwhile.
  const std::uint64_t start = work.start;
  const std::uint64_t step = work.step;
  const std::uint64_t end = work.end;
  const std::uint64_t count = work.count;
  const std::uint64_t size = work.chunk;
  const std::uint64_t leap = work.leap;
  // Relaxed: only who gets which iterations; what they read came with the construct.
  const std::uint64_t from = work.next.fetch_add(size, std::memory_order_relaxed);
  if (from >= count) {
    return false;
  }
  chunk.begin = start + from * step;
  chunk.end = count - from <= size ? end : chunk.begin + leap;
  return true;
}

}  // namespace weft::omp
