// A guard is a word of 8 bytes in the program's static data. Compilers test its first byte and call only while that is
// 0; the rest is whoever's who answers the calls. The C++ library waits for another thread on its own process's copy of
// the word, and takes a process that has one thread for a program that has one. So guards in shared memory are ours,
// and all others stay the C++ library's.
#include "omp/program/once.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>

#include "base/lines.hpp"
#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "dsm/words.hpp"
#include "job/node.hpp"
#include "omp/program/program.hpp"
#include "omp/program/real.hpp"
#include "omp/program/statics.hpp"
#include "omp/program/table.hpp"

// Of base/throws.cpp, which builds with sanitizers do without.
extern "C" [[gnu::weak]] int weft_guard_acquire(std::int64_t* guard);
extern "C" [[gnu::weak]] void weft_guard_release(std::int64_t* guard);

namespace weft::omp::program {
namespace {

using dsm::Op;

// The word: 0 at first; else who makes the variable, above the first byte; or that it is made. By pages the first byte
// stays 0 at first: a process that fetches the guard's page sees it, and has acquired nothing of the variable's.
constexpr std::uint64_t kOpen = 0x1;
constexpr std::uint64_t kMade = 0x8000;  // no process's

bool is_made(std::uint64_t word) noexcept { return (word & 0xff) != 0 || word == kMade; }

std::uint64_t maker() noexcept {
  return (static_cast<std::uint64_t>(job::node().me) + 1) << 40 | static_cast<std::uint64_t>(::gettid()) << 8;
}
int process_of(std::uint64_t maker) noexcept { return static_cast<int>(maker >> 40) - 1; }

// Guards of variables that are made and that this process has acquired: their addresses, and kOpen where the first byte
// is to be set yet. Where there is no room the word is asked for each time.
constexpr std::size_t kKnown = 8192;
constexpr std::size_t kProbes = 16;
constinit std::array<std::atomic<std::uintptr_t>, kKnown> g_known{};
constinit std::atomic<int> g_closed = 0;  // of these

std::size_t place_of(std::uintptr_t guard, std::size_t probe) noexcept {
  return ((guard >> 3) * 0x9e3779b97f4a7c15u >> 40) + probe;
}

bool is_known(std::uintptr_t guard) noexcept {
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    // Acquire: who has put it there has acquired the variable.
    const std::uintptr_t is = g_known[place_of(guard, probe) % kKnown].load(std::memory_order_acquire);
    if (is == 0 || (is & ~kOpen) == guard) return is != 0;
  }
  return false;
}

void make_known(std::uintptr_t guard) noexcept {
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    std::uintptr_t is = 0;
    // Release: pairs with is_known(). Acquire: so do those that find it there.
    if (g_known[place_of(guard, probe) % kKnown].compare_exchange_strong(is, guard | kOpen,
                                                                         std::memory_order_acq_rel)) {
      // Relaxed: open_guards() is called when the threads of a region have met.
      g_closed.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if ((is & ~kOpen) == guard) return;
  }
}

bool is_by_pages() noexcept { return dsm::g.way == dsm::Way::kPages; }

// In the range; of one memory any number. kNowhere: the guard is not shared.
std::uint64_t offset_of(const std::int64_t* guard) noexcept {
  if (!has_begun()) return dsm::kNowhere;
  const std::uint64_t offset = dsm::offset_of_operand(guard, sizeof *guard);
  return offset == dsm::kNowhere && !is_by_pages() && is_shared_static(guard) ? 0 : offset;
}

std::uint64_t operate(std::int64_t* guard, std::uint64_t offset, const dsm::WordOp& what) noexcept {
  // Nobody else is there any more who could answer.
  return has_left() ? dsm::carry_out(guard, what) : dsm::operate(guard, offset, what);
}

void release() noexcept {
  if (!has_left()) dsm::release();
}
void acquire() noexcept {
  if (!has_left()) dsm::acquire();
}

void nap(long& ns) noexcept {
  constexpr long kShortest = 20'000;
  constexpr long kLongest = 1'000'000;
  const std::timespec time{0, ns = ns == 0 ? kShortest : ns < kLongest ? ns * 2 : ns};
  (void)::nanosleep(&time, nullptr);
}

// A function of the OpenMP library, if there is one.
template <class Function>
Function* of_openmp(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

void note(const std::int64_t* guard, bool makes) noexcept {
  if (auto* const note = of_openmp<NoteStatic>(kNoteStatic); note != nullptr) note(guard, makes);
}

struct Taking {
  std::int64_t* guard;
  std::uint64_t offset;
  std::uint64_t own = maker();
  std::uint64_t was = 0;
  long ns = 0;

  bool is_over() noexcept {
    was = operate(guard, offset, {Op::kCompareSwap, sizeof *guard, own, 0});
    if (was == own) {
      base::fail("OpenMP",
                 "process %d: the first value of a static variable of a function needs that variable (its guard is at "
                 "%p): the function has been called again while it is found",
                 process_of(own), static_cast<void*>(guard));
    }
    return was == 0 || is_made(was);
  }
  static bool look(void* taking) noexcept {
    auto& self = *static_cast<Taking*>(taking);
    nap(self.ns);
    return self.is_over();
  }
};

// True: this thread is to make the variable.
bool take(std::int64_t* guard, std::uint64_t offset, const void* site) noexcept {
  Taking taking{guard, offset};
  if (!taking.is_over()) {
    if (auto* const await = of_openmp<AwaitStatic>(kAwaitStatic); await != nullptr) {
      await(guard, site, Taking::look, &taking);
    } else {
      while (!Taking::look(&taking)) {
      }
    }
  }
  // What was done before it was made, or given up, is seen.
  acquire();
  if (taking.was == 0) note(guard, true);
  return taking.was == 0;
}

void give(std::int64_t* guard, std::uint64_t offset, std::uint64_t word) noexcept {
  note(guard, false);
  release();
  (void)operate(guard, offset, {Op::kSwap, sizeof *guard, word});
}

// Its guards have functions of their own.
bool is_ours(const void* code) noexcept {
  if (weft_guard_acquire == nullptr) return false;
  Dl_info theirs{};
  Dl_info ours{};
  return ::dladdr(code, &theirs) != 0 && ::dladdr(&g_known, &ours) != 0 && theirs.dli_fbase == ours.dli_fbase;
}

// Who loads a library of C++ may have the C++ library for it alone.
template <class Function>
Function* real_guard(const char* name) noexcept {
  if (auto* const next = real<Function>(name); next != nullptr) return next;
  static constexpr std::array<const char*, 2> kLibraries = {"libstdc++.so.6", "libc++abi.so.1"};
  auto* const open = real<void*(const char*, int)>("dlopen");
  for (const char* const library : kLibraries) {
    void* const handle = open(library, RTLD_LAZY | RTLD_NOLOAD);
    void* const found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
    if (handle != nullptr) (void)::dlclose(handle);
    if (found != nullptr) return reinterpret_cast<Function*>(found);
  }
  base::fail("OpenMP", "%s: a library of C++ calls it, and the C++ library that has it is not found", name);
}

}  // namespace

void open_guards() noexcept {
  // Relaxed, here and below: this process's threads are done with the region before.
  if (g_closed.load(std::memory_order_relaxed) == 0) return;
  g_closed.store(0, std::memory_order_relaxed);
  for (std::atomic<std::uintptr_t>& known : g_known) {
    const std::uintptr_t is = known.load(std::memory_order_relaxed);
    if ((is & kOpen) == 0) continue;
    known.store(is & ~kOpen, std::memory_order_relaxed);
    auto* const guard = reinterpret_cast<std::int64_t*>(is & ~kOpen);
    (void)operate(guard, offset_of(guard), {Op::kOr, sizeof *guard, kOpen});
  }
}

}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the ABI's names.

int __cxa_guard_acquire(std::int64_t* guard) {
  using namespace weft::omp::program;
  const auto at = reinterpret_cast<std::uintptr_t>(guard);
  if (is_known(at)) return 0;
  const std::uint64_t offset = offset_of(guard);
  if (offset == weft::dsm::kNowhere) {
    return is_ours(__builtin_return_address(0)) ? weft_guard_acquire(guard)
                                                : real_guard<int(std::int64_t*)>("__cxa_guard_acquire")(guard);
  }
  if (take(guard, offset, __builtin_return_address(0))) return 1;
  if (is_by_pages()) make_known(at);
  return 0;
}

void __cxa_guard_release(std::int64_t* guard) {
  using namespace weft::omp::program;
  const std::uint64_t offset = offset_of(guard);
  if (offset == weft::dsm::kNowhere) {
    is_ours(__builtin_return_address(0)) ? weft_guard_release(guard)
                                         : real_guard<void(std::int64_t*)>("__cxa_guard_release")(guard);
    return;
  }
  give(guard, offset, is_by_pages() ? kMade : kMade | kOpen);
  if (is_by_pages()) make_known(reinterpret_cast<std::uintptr_t>(guard));
}

// Whoever comes next tries. Weft's own code throws nothing.
void __cxa_guard_abort(std::int64_t* guard) {
  using namespace weft::omp::program;
  const std::uint64_t offset = offset_of(guard);
  if (offset == weft::dsm::kNowhere) {
    real_guard<void(std::int64_t*)>("__cxa_guard_abort")(guard);
    return;
  }
  give(guard, offset, 0);
}

// NOLINTEND(readability-identifier-naming)
}  // extern "C"
#pragma GCC visibility pop
