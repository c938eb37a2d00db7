// Collectives of two processes written by hand: each sees the other's memory, writes to it at once, and tells with a
// flag what it has done. As in OpenSHMEM, sources may change as soon as a call returns, and calls follow one another.
#include <sys/mman.h>

#include "copy/copy.hpp"
#include "limits/limits.hpp"

namespace weft::bench {
namespace {

constexpr int kAtATime = 16;                         // calls between two barriers, as in bench/shmem/collectives.c
constexpr std::size_t kDest = std::size_t{4} << 20;  // in each region; before it the source
constexpr std::size_t kInbox = 2 * kDest;            // where the other one writes, in two places by turns
constexpr std::size_t kInboxBytes = 4096;
constexpr std::size_t kUsed = kInbox + kDest;

class Pair {
 public:
  Pair(Control& control, char* own_region, char* peers_region, int rank_of_this) noexcept
      : own(own_region),
        peer(peers_region),
        rank(rank_of_this),
        mine_(rank == 0 ? control.from_first : control.from_second),
        others_(rank == 0 ? control.from_second : control.from_first) {}
  void tell() noexcept { mine_.store(++episode_, std::memory_order_release); }
  void await() noexcept {
    while (others_.load(std::memory_order_acquire) < episode_) {
    }
  }
  void await_telling() noexcept {
    ++episode_;
    await();
  }
  void answer() noexcept { mine_.store(episode_, std::memory_order_release); }
  void meet() noexcept {
    tell();
    await();
  }
  std::size_t inbox() noexcept { return kInbox + static_cast<std::size_t>(++turn_ % 2) * kInboxBytes; }
  long turn() const noexcept { return turn_; }

  char* const own;
  char* const peer;
  const int rank;

 private:
  std::atomic<long>& mine_;
  std::atomic<long>& others_;
  long episode_ = 0;
  long turn_ = 0;
};

// With an answer, so that the root knows when it may write again.
void broadcast(Pair& pair, std::size_t bytes) noexcept {
  if (pair.rank == 0) {
    copy::copy(pair.peer + kDest, pair.own, bytes);
    pair.meet();
  } else {
    pair.await_telling();
    pair.answer();
  }
}

#if !defined(__clang__)  // which makes vector code of such loops at -O2
[[gnu::optimize("O3")]]
#endif
void add(long* to, const long* one, const long* other, std::size_t words) noexcept {
  for (std::size_t k = 0; k < words; ++k) to[k] = one[k] + other[k];
}

const long* words_of(const char* at) noexcept { return reinterpret_cast<const long*>(at); }

// The number and its mark travel in one cache line.
void sum_of_one(Pair& pair, std::size_t /*bytes*/) noexcept {
  const std::size_t at = pair.inbox();
  const auto mark = [&](char* region) {
    return std::atomic_ref<long>(*reinterpret_cast<long*>(region + at + sizeof(long)));
  };
  const long mine = *words_of(pair.own);
  *reinterpret_cast<volatile long*>(pair.peer + at) = mine;
  mark(pair.peer).store(pair.turn(), std::memory_order_release);
  while (mark(pair.own).load(std::memory_order_acquire) != pair.turn()) {
  }
  *reinterpret_cast<volatile long*>(pair.own + kDest) = mine + *words_of(pair.own + at);
}

void sum_in_inbox(Pair& pair, std::size_t bytes) noexcept {
  const std::size_t at = pair.inbox();
  copy::copy(pair.peer + at, pair.own, bytes);
  pair.meet();
  add(reinterpret_cast<long*>(pair.own + kDest), words_of(pair.own), words_of(pair.own + at), bytes / sizeof(long));
}

// Each adds everything.
void sum_whole(Pair& pair, std::size_t bytes) noexcept {
  pair.meet();
  add(reinterpret_cast<long*>(pair.own + kDest), words_of(pair.own), words_of(pair.peer), bytes / sizeof(long));
  pair.meet();
}

// Each adds a half, and writes it to both.
void sum_halves(Pair& pair, std::size_t bytes) noexcept {
  const std::size_t half = bytes / 2;
  const std::size_t begin = pair.rank == 0 ? 0 : half;
  pair.meet();
  auto* mine = reinterpret_cast<long*>(pair.own + kDest + begin);
  add(mine, words_of(pair.own + begin), words_of(pair.peer + begin), half / sizeof(long));
  copy::copy(pair.peer + kDest + begin, mine, half);
  pair.meet();
}

void fcollect(Pair& pair, std::size_t bytes) noexcept {
  const std::size_t mine = kDest + static_cast<std::size_t>(pair.rank) * bytes;
  copy::copy(pair.peer + mine, pair.own, bytes);
  copy::copy(pair.own + mine, pair.own, bytes);
  pair.meet();
}

void alltoall(Pair& pair, std::size_t bytes) noexcept {
  const std::size_t mine = static_cast<std::size_t>(pair.rank) * bytes;
  const std::size_t others = static_cast<std::size_t>(1 - pair.rank) * bytes;
  copy::copy(pair.peer + kDest + mine, pair.own + others, bytes);
  copy::copy(pair.own + kDest + mine, pair.own + mine, bytes);
  pair.meet();
}

struct Task {
  const plan* how;
  Regions regions;
  void (*call)(Pair& pair, std::size_t bytes);
  std::size_t bytes;
  Times times;  // of process 0, which is the caller's
};

void work(int rank, void* argument) {
  Task& task = *static_cast<Task*>(argument);
  Control& control = *task.regions.control;
  char* own = map_region(task.regions, rank, kUsed);
  char* peer = map_region(task.regions, 1 - rank, kUsed);
  Pair pair(control, own, peer, rank);
  const auto rounds = [&](long count) {
    for (long k = 0; k < count; ++k) {
      task.call(pair, task.bytes);
      if (k % kAtATime == kAtATime - 1 || k == count - 1) pair.meet();
    }
  };
  pair.meet();
  long count = 1;
  do {
    count *= 2;
    const double begin = now_ns();
    rounds(count);
    if (rank == 0) {
      const double took = now_ns() - begin;
      control.count.store(took >= task.how->ms * 2e5 ? count_for(task.how, count, took) : 0, std::memory_order_relaxed);
    }
    pair.meet();
  } while (control.count.load(std::memory_order_relaxed) == 0);
  count = control.count.load(std::memory_order_relaxed);
  for (int r = -1; r < task.how->repetitions; ++r) {
    pair.meet();
    const double begin = now_ns();
    rounds(count);
    if (r >= 0) task.times.push_back((now_ns() - begin) / static_cast<double>(count));
  }
  (void)::munmap(own, kUsed);
  (void)::munmap(peer, kUsed);
}

Times times_of(const plan& how, void (*call)(Pair& pair, std::size_t bytes), std::size_t bytes) {
  Task task{&how, make_regions(2), call, bytes, {}};
  run_processes(2, work, &task);
  release_regions(task.regions);
  return task.times;
}

void print(const plan& how, const char* operation, const block_size& size, const Times& times) {
  char name[32];
  print_times(name_with(name, sizeof name, operation, size.text), "limit", 2, times.data(), how.repetitions);
}

// What is fastest changes with the size.
Times sum_times(const plan& how, std::size_t bytes) {
  if (bytes == sizeof(long)) return times_of(how, sum_of_one, bytes);
  if (bytes <= kInboxBytes) return faster(times_of(how, sum_in_inbox, bytes), times_of(how, sum_whole, bytes));
  return faster(times_of(how, sum_whole, bytes), times_of(how, sum_halves, bytes));
}

}  // namespace

void measure_collectives(const plan& how) {
  for (const std::size_t k : {0, 2, 5, 7}) {
    const block_size size = block_sizes[k];
    print(how, "broadcast", size, times_of(how, broadcast, size.bytes));
    print(how, "sum", size, sum_times(how, size.bytes));
    print(how, "fcollect", size, times_of(how, fcollect, size.bytes));
    print(how, "alltoall", size, times_of(how, alltoall, size.bytes));
  }
}

}  // namespace weft::bench
