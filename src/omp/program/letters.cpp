#include "omp/program/letters.hpp"

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "job/node.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"

namespace weft::omp::program {
namespace {

constexpr std::uint64_t kNapNs = 1'000'000'000;

// Of one process; in shared memory.
struct Box {
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kWriting = 1;
  static constexpr std::uint32_t kSent = 2;
  alignas(64) std::atomic<std::uint32_t> state;
  Letter letter;
};

// Of the program; in shared memory.
struct Wanted {
  Carried carried;
  std::uint64_t wanted;             // bodies that process 0 wanted, from each process
  std::atomic<std::uint64_t> done;  // and that have returned, of all
  Box boxes[1];                     // one for each process
};

constinit Wanted* g_wanted = nullptr;

}  // namespace

bool begin_letters() noexcept {
  const job::Node& node = job::node();
  g_wanted = static_cast<Wanted*>(dsm::from(
      0, node.me == 0 ? dsm::allocate_zeros(sizeof(Wanted) + static_cast<std::size_t>(node.n_pes) * sizeof(Box))
                      : nullptr));
  return g_wanted != nullptr;
}

Carried& carried_things() noexcept { return g_wanted->carried; }

void carry_by_memory() noexcept {
  g_wanted->carried.modes = modes_here();
  (void)carry_from_here(g_wanted->carried);
}

void send(int process, void (*body)(void*), void* argument) noexcept {
  Box& box = g_wanted->boxes[process];
  // Acquire: who read the last one has done so.
  for (std::uint32_t state = Box::kFree;
       !box.state.compare_exchange_weak(state, Box::kWriting, std::memory_order_acquire); state = Box::kFree) {
    (void)::sched_yield();
  }
  box.letter = {body, argument};
  // Release: what is written above, and all before, is there for who reads it.
  box.state.store(Box::kSent, std::memory_order_release);
  os::futex_wake_all(box.state);
}

void have_all_run(void (*body)(void*), void* argument) noexcept {
  ++g_wanted->wanted;
  carry_by_memory();
  for (int process = 1; process < job::node().n_pes; ++process) {
    send(process, body, argument);
  }
}

Letter next_letter() noexcept {
  Box& box = g_wanted->boxes[job::node().me];
  // A region soon follows another one; who waits for long leaves its processor.
  constexpr int kLooks = 200;
  for (int k = 0; k < kLooks && box.state.load(std::memory_order_relaxed) != Box::kSent; ++k) {
    (void)::sched_yield();
  }
  // Acquire: pairs with send().
  for (std::uint32_t state = 0; (state = box.state.load(std::memory_order_acquire)) != Box::kSent;) {
    os::futex_wait(box.state, state, kNapNs);
  }
  const Letter letter = box.letter;
  if (letter.body != nullptr) {
    take_modes(g_wanted->carried.modes);
    carry_to_here(g_wanted->carried, g_wanted->carried.version);
    // Release: it has been read.
    box.state.store(Box::kFree, std::memory_order_release);
  }
  return letter;
}

void note_run() noexcept {
  // Release: what it did is seen by who finds all done.
  g_wanted->done.fetch_add(1, std::memory_order_release);
}

bool all_have_run() noexcept {
  constexpr std::uint64_t kPatienceNs = 300'000'000;
  const std::uint64_t begin = os::now_ns();
  const std::uint64_t all = g_wanted->wanted * static_cast<std::uint64_t>(job::node().n_pes - 1);
  // Acquire: pairs with note_run().
  while (g_wanted->done.load(std::memory_order_acquire) != all) {
    if (os::now_ns() - begin > kPatienceNs) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::omp::program
