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

#include "copy/copy.hpp"
#include "limits/limits.hpp"

namespace weft::bench {
namespace {

struct Window {
  std::uintptr_t to_peers;
  std::size_t stride;
};
Window g_window;

struct Access {
  long* remote;  // in the peer's region
  long* local;   // what by_hand() makes `remote` from
  long* private_memory;
  int pe;
};

volatile std::ptrdiff_t g_stride = 2;  // which the compiler does not know

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
WEFT_BENCH_LOOP(copy64_there, std::memcpy(at, a.private_memory, 64))
WEFT_BENCH_LOOP(copy64_here, std::memcpy(a.private_memory, at, 64))
WEFT_BENCH_LOOP(exchange, sum += __atomic_exchange_n(at, i, __ATOMIC_RELAXED))
WEFT_BENCH_LOOP(compare_exchange, long expected = i;
                (void)__atomic_compare_exchange_n(at, &expected, i + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
                sum += expected)
WEFT_BENCH_LOOP(increment, (void)__atomic_fetch_add(at, 1, __ATOMIC_RELAXED))
WEFT_BENCH_LOOP(
    store64,
    for (int k = 0; k < 64; ++k) {
      static_cast<volatile long*>(remote_of<translated>(a))[k] = a.private_memory[k];
      MEMORY_CHANGES();
    } __atomic_thread_fence(__ATOMIC_SEQ_CST);
    (void)at)

// A block with one of the routines Weft has to choose from: the limit is the best of them.
struct Block {
  copy::Routine routine;
  void* to;
  const void* from;
  std::size_t bytes;
};
[[gnu::noinline]] void copy_block(const void* what, long count) {
  const Block block = *static_cast<const Block*>(what);
  for (long i = 0; i < count; ++i) {
    block.routine(block.to, block.from, block.bytes);
    MEMORY_CHANGES();
  }
}

void measure_block(const plan& how, const char* name, Block block) {
  constexpr copy::Choice kRoutines[] = {
#define WEFT_COPY(name, text) copy::Choice::k_##name,
#include "api/algorithms.def"
  };
  Times best;
  for (const copy::Choice choice : kRoutines) {
    block.routine = copy::routine(choice);
    // One that is far slower is not worth the time.
    if (block.routine == nullptr || (choice == copy::Choice::k_streaming && block.bytes < (std::size_t{256} << 10)))
      continue;
    Times times(static_cast<std::size_t>(how.repetitions));
    take_times(times.data(), &how, copy_block, &block);
    best = best.empty() ? times : faster(best, times);
  }
  print_times(name, "limit", 2, best.data(), how.repetitions);
}

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

template <class Element>
void move_elements(Element* to, const Element* from) {
  const std::ptrdiff_t stride = g_stride;
  for (int k = 0; k < STRIDED_ELEMENTS; ++k) {
    *to = *from;
    to += stride;
    from += stride;
  }
}
template <class Element>
Element* as(long* memory) {
  return reinterpret_cast<Element*>(memory);
}

WEFT_BENCH_LOOP(elements8_there, move_elements(at, a.private_memory))
WEFT_BENCH_LOOP(elements8_here, move_elements(a.private_memory, at))
WEFT_BENCH_LOOP(elements4_there, move_elements(as<int>(at), as<int>(a.private_memory)))
WEFT_BENCH_LOOP(elements4_here, move_elements(as<int>(a.private_memory), as<int>(at)))

struct Task {
  const plan* how;
  Kind kind;
  Regions regions;
  Times times;  // of process 0, which is the caller's
};

template <bool translated>
void measure_small(const plan& how, Access a) {
  const char* by = translated ? "by hand" : "limit";
  measure("p8", by, &how, store<translated>, &a);
  measure("g8", by, &how, load<translated>, &a);
  measure("put8", by, &how, copy_there<translated>, &a);
  measure("get8", by, &how, copy_here<translated>, &a);
  measure("put64", by, &how, copy64_there<translated>, &a);
  measure("get64", by, &how, copy64_here<translated>, &a);
  measure("p8.quiet", by, &how, store_and_fence<translated>, &a);
  measure("put8x64", by, &how, store64<translated>, &a);
  measure("iput8", by, &how, elements8_there<translated>, &a);
  measure("iget8", by, &how, elements8_here<translated>, &a);
  measure("iput4", by, &how, elements4_there<translated>, &a);
  measure("iget4", by, &how, elements4_here<translated>, &a);
  *a.remote = 0;
  measure("get8.chain", by, &how, chase<translated>, &a);
}

template <bool translated>
void measure_atomics(const plan& how, const Access& a) {
  const char* by = translated ? "by hand" : "limit";
  measure("fetch_add", by, &how, add<translated>, &a);
  measure("swap", by, &how, exchange<translated>, &a);
  measure("cswap", by, &how, compare_exchange<translated>, &a);
  measure("inc", by, &how, increment<translated>, &a);
}

void measure_blocks(const plan& how, const Access& a) {
  char name[32];
  for (std::size_t k = 2; k < N_BLOCK_SIZES; ++k) {
    const block_size size = block_sizes[k];
    measure_block(how, name_with(name, sizeof name, "put", size.text),
                  {nullptr, a.remote, a.private_memory, size.bytes});
    measure_block(how, name_with(name, sizeof name, "get", size.text),
                  {nullptr, a.private_memory, a.remote, size.bytes});
  }
}

// Process 1 touches its memory first and ends: no PE has to help in a one-sided operation.
void work(int rank, void* argument) {
  const Task& task = *static_cast<Task*>(argument);
  Control& control = *task.regions.control;
  char* own = map_region(task.regions, rank, kRegionBytes);
  if (rank == 1) {
    control.arrived.store(1, std::memory_order_release);
    return;
  }
  while (control.arrived.load(std::memory_order_acquire) == 0) (void)::sched_yield();
  char* peer = map_region(task.regions, 1, kRegionBytes);
  auto* private_memory = static_cast<long*>(std::aligned_alloc(4096, LARGEST_BLOCK));
  if (private_memory == nullptr) std::exit(1);
  std::memset(private_memory, 1, LARGEST_BLOCK);
  Access a{};
  a.local = reinterpret_cast<long*>(own);
  a.remote = reinterpret_cast<long*>(peer);
  a.private_memory = private_memory;
  a.pe = 1;
  g_window.stride = kRegionBytes;
  g_window.to_peers = reinterpret_cast<std::uintptr_t>(peer) - reinterpret_cast<std::uintptr_t>(own) - kRegionBytes;
  switch (task.kind) {
    case Kind::kSmall:
      measure_small<false>(*task.how, a);
      measure_small<true>(*task.how, a);
      break;
    case Kind::kBlocks: measure_blocks(*task.how, a); break;
    case Kind::kAtomics:
      measure_atomics<false>(*task.how, a);
      measure_atomics<true>(*task.how, a);
      break;
  }
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
  Task task{&how, {}, make_regions(2), {}};
  run_processes(2, ping_pong<pauses>, &task);
  return task.times;
}

}  // namespace

void measure_access(const plan& how, Kind kind) {
  Task task{&how, kind, make_regions(2), {}};
  run_processes(2, work, &task);
}

void measure_ping_pong(const plan& how) {
  const Times eager = ping_pong_times<false>(how);
  const Times pausing = ping_pong_times<true>(how);
  print_times("pingpong", "limit", 2, faster(eager, pausing).data(), how.repetitions);
}

}  // namespace weft::bench
