#include "copy/staged.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/lines.hpp"
#include "copy/classes.hpp"
#include "copy/ticks.hpp"

namespace weft::copy {
namespace {

// Pieces of stages are no longer than this; what is has the last class.
constexpr std::size_t kLongest = std::size_t{128} << 10;
constexpr int kFirstClass = std::bit_width(kSmall);
constexpr int kStagedClasses = std::bit_width(kLongest) - kFirstClass + 1;

// Of each routine the middle one of so many counts: some of them find lines that nobody has read, some wait for a page
// or for another process.
constexpr int kTrials = 9;

void try_one(void* to, const void* from, std::size_t bytes) noexcept;

struct StagedClass {
  std::atomic<Routine> routine{kTriesOut ? try_one : libc};
  std::atomic_flag trying;
  int trials = 0;  // under `trying`, as the next
  std::array<std::array<double, kTrials>, kChoices> took{};
};
constinit StagedClass g_classes[kStagedClasses];

StagedClass& class_of(std::size_t bytes) noexcept {
  return g_classes[std::min(class_number(bytes) - kFirstClass, kStagedClasses - 1)];
}

// Streaming leaves the data in memory, where the reader looks for it in a cache.
bool is_tried(Choice choice, std::size_t bytes) noexcept {
  return choice != Choice::kAuto && choice != Choice::k_streaming && suits(choice, bytes);
}

Routine fastest(const StagedClass& staged, std::size_t bytes) noexcept {
  Routine best = libc;
  double least = 0;
  for (int k = 0; k < kChoices; ++k) {
    if (is_tried(static_cast<Choice>(k), bytes)) {
      auto times = staged.took[static_cast<std::size_t>(k)];
      std::nth_element(times.begin(), times.begin() + kTrials / 2, times.end());
      if (least == 0 || times[kTrials / 2] < least) {
        least = times[kTrials / 2];
        best = routine(static_cast<Choice>(k));
      }
    }
  }
  return best;
}

void try_one(void* to, const void* from, std::size_t bytes) noexcept {
  StagedClass& staged = class_of(bytes);
  // Acquire and release: the one before has finished with the counts. Who comes meanwhile copies without taking part.
  if (staged.trying.test_and_set(std::memory_order_acquire)) {
    libc(to, from, bytes);
    return;
  }
  // Routines by turns, so that what changes meanwhile changes them all.
  while (!is_tried(static_cast<Choice>(staged.trials % kChoices), bytes)) {
    ++staged.trials;
  }
  const auto tried = static_cast<std::size_t>(staged.trials % kChoices);
  const std::size_t turn = static_cast<std::size_t>(staged.trials) / kChoices;
  if (turn < kTrials) {
    const double begin = ticks();
    routine(static_cast<Choice>(tried))(to, from, bytes);
    staged.took[tried][turn] = (ticks() - begin) / static_cast<double>(bytes);
    ++staged.trials;
  } else {
    const Routine best = fastest(staged, bytes);
    base::debug("copies into what others have read, from %zu KiB on: takes %s",
                least_of_class(static_cast<int>(&staged - g_classes) + kFirstClass) >> 10, name_of(choice_of(best)));
    // Relaxed: a routine is code, and nothing else is told by it.
    staged.routine.store(best, std::memory_order_relaxed);
    best(to, from, bytes);
  }
  staged.trying.clear(std::memory_order_release);
}

}  // namespace

void copy_staged_large(void* to, const void* from, std::size_t bytes) noexcept {
  if (is_named() || just_ahead(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)))
      [[unlikely]] {
    copy_large(to, from, bytes);
    return;
  }
  class_of(bytes).routine.load(std::memory_order_relaxed)(to, from, bytes);  // relaxed: see try_one()
}

Choice chosen_staged(std::size_t bytes) noexcept {
  return choice_of(bytes < kSmall ? libc : class_of(bytes).routine.load(std::memory_order_relaxed));
}

}  // namespace weft::copy
