// Loads, stores, atomic additions and copies to memory of another process, and a flag that goes to and fro.
//
// The loops have the shape of those in bench/shmem/first.c: the compiler must take the memory as changed after each
// operation, and the operations of a loop do not depend on each other, so the figures are rates (the time of one
// operation when many follow each other), except get8.chain, where the address of each load comes from the one before.
//
// "limit" knows the peer's address; "by hand" computes it from the local address and the PE's number in each
// iteration, with the two numbers that any library needs, and checks nothing.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "limits/limits.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

struct Window {
  std::uintptr_t to_peers;
  std::size_t stride;
};
Window g_window;

struct Access {
  long* remote;  // in the peer's region
  long* local;   // what by_hand() makes `remote` from
  long* private_memory;
  std::size_t bytes;
  int pe;
};

volatile long g_sink;  // what the loops compute goes here, so that they are not removed

const Access& access_of(const void* what) { return *static_cast<const Access*>(what); }

template <bool translated>
long* remote_of(const Access& a) {
  if constexpr (translated) {
    auto at =
        reinterpret_cast<std::uintptr_t>(a.local) + g_window.to_peers + static_cast<unsigned>(a.pe) * g_window.stride;
    __asm__("" : "+r"(at));
    return reinterpret_cast<long*>(at);
  } else {
    return a.remote;
  }
}

// Each loop works on a copy of Access that lives in registers; what MEMORY_CHANGES() makes it load again is Window.
#define WEFT_BENCH_LOOP(NAME, STATEMENT)                      \
  template <bool translated>                                  \
  [[gnu::noinline]] void NAME(const void* what, long count) { \
    const Access a = access_of(what);                         \
    long sum = 0;                                             \
    for (long i = 0; i < count; ++i) {                        \
      long* at = remote_of<translated>(a);                    \
      STATEMENT;                                              \
      MEMORY_CHANGES();                                       \
    }                                                         \
    g_sink = sum;                                             \
  }

WEFT_BENCH_LOOP(store, *static_cast<volatile long*>(at) = i)
WEFT_BENCH_LOOP(load, sum += *static_cast<volatile long*>(at))
WEFT_BENCH_LOOP(copy_there, std::memcpy(at, a.private_memory, 8))
WEFT_BENCH_LOOP(copy_here, std::memcpy(a.private_memory, at, 8))
WEFT_BENCH_LOOP(add, sum += __atomic_fetch_add(at, 1, __ATOMIC_RELAXED))
WEFT_BENCH_LOOP(store_and_fence, *static_cast<volatile long*>(at) = i; __atomic_thread_fence(__ATOMIC_SEQ_CST))
WEFT_BENCH_LOOP(put_block, std::memcpy(at, a.private_memory, a.bytes))
WEFT_BENCH_LOOP(get_block, std::memcpy(a.private_memory, at, a.bytes))

// The peer's memory holds zeros, which the processor does not know.
template <bool translated>
[[gnu::noinline]] void chase(const void* what, long count) {
  Access a = access_of(what);
  for (long i = 0; i < count; ++i) {
    const long step = *static_cast<volatile long*>(remote_of<translated>(a));
    a.local += step;
    a.remote += step;
    MEMORY_CHANGES();
  }
  g_sink = reinterpret_cast<long>(a.remote);
}

struct Task {
  const plan* how;
  Regions regions;
  Times times;  // of process 0, which is the caller's
};

template <bool translated>
void measure_all(const plan& how, Access a) {
  const char* by = translated ? "by hand" : "limit";
  measure("p8", by, &how, store<translated>, &a);
  measure("g8", by, &how, load<translated>, &a);
  measure("put8", by, &how, copy_there<translated>, &a);
  measure("get8", by, &how, copy_here<translated>, &a);
  measure("put8.quiet", by, &how, store_and_fence<translated>, &a);
  measure("fetch_add", by, &how, add<translated>, &a);
  *a.remote = 0;
  measure("get8.chain", by, &how, chase<translated>, &a);
  if constexpr (!translated) {
    a.bytes = kBlock;
    measure("put1M", by, &how, put_block<false>, &a);
    measure("get1M", by, &how, get_block<false>, &a);
  }
}

// Process 1 touches its memory first and ends: no PE has to help in a one-sided operation.
void work(int rank, void* argument) {
  const Task& task = *static_cast<Task*>(argument);
  Control& control = *task.regions.control;
  char* own = map_region(task.regions, rank);
  if (rank == 1) {
    control.arrived.store(1, std::memory_order_release);
    return;
  }
  while (control.arrived.load(std::memory_order_acquire) == 0) (void)::sched_yield();
  char* peer = map_region(task.regions, 1);
  auto* private_memory = static_cast<long*>(std::aligned_alloc(4096, kBlock));
  if (private_memory == nullptr) std::exit(1);
  std::memset(private_memory, 1, kBlock);
  Access a{};
  a.local = reinterpret_cast<long*>(own);
  a.remote = reinterpret_cast<long*>(peer);
  a.private_memory = private_memory;
  a.bytes = 8;
  a.pe = 1;
  g_window.stride = kRegionBytes;
  g_window.to_peers = reinterpret_cast<std::uintptr_t>(peer) - reinterpret_cast<std::uintptr_t>(own) - kRegionBytes;
  measure_all<false>(*task.how, a);
  measure_all<true>(*task.how, a);
  std::free(private_memory);
}

// One flag in the memory of each process: what a put and a wait for it are at least.
template <bool pauses>
void ping_pong(int rank, void* argument) {
  Task& task = *static_cast<Task*>(argument);
  Control& control = *task.regions.control;
  std::atomic<long>& mine = rank == 0 ? control.from_second : control.from_first;
  std::atomic<long>& others = rank == 0 ? control.from_first : control.from_second;
  const auto rounds = [&](long from, long count) {
    for (long k = from + 1; k <= from + count; ++k) {
      if (rank == 0) others.store(k, std::memory_order_release);
      while (mine.load(std::memory_order_acquire) < k) relax<pauses>();
      if (rank == 1) others.store(k, std::memory_order_release);
    }
  };
  const long trial = 200;
  rounds(0, trial);
  double begin = now_ns();
  rounds(trial, trial);
  if (rank == 0) control.count.store(count_for(task.how, trial, now_ns() - begin), std::memory_order_release);
  long count = 0;
  while ((count = control.count.load(std::memory_order_acquire)) == 0) (void)::sched_yield();
  for (int r = 0; r < task.how->repetitions; ++r) {
    begin = now_ns();
    rounds(2 * trial + r * count, count);
    task.times.push_back((now_ns() - begin) / static_cast<double>(count));
  }
}

template <bool pauses>
Times ping_pong_times(const plan& how) {
  Task task{&how, make_regions(2), {}};
  run_processes(2, ping_pong<pauses>, &task);
  return task.times;
}

}  // namespace

void measure_access(const plan& how) {
  Task task{&how, make_regions(2), {}};
  run_processes(2, work, &task);
}

void measure_ping_pong(const plan& how) {
  const Times eager = ping_pong_times<false>(how);
  const Times pausing = ping_pong_times<true>(how);
  print_times("pingpong", "limit", 2, faster(eager, pausing).data(), how.repetitions);
}

}  // namespace weft::bench
