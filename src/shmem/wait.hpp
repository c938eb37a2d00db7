// Point-to-point synchronisation (OpenSHMEM 1.6, section 9.11): waits and tests on this PE's own variables.
//
// A success acts as an acquire: whatever the writer had ordered before the value is visible. Reads are atomic loads,
// so no value is seen half written, whether a put, a p, an AMO or a store through shmem_ptr wrote it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "job/notes.hpp"
#include "shmem.h"
#include "shmem/checks.hpp"
#include "sync/uncrowded.hpp"

namespace weft::shmem::checked {

inline constexpr std::size_t kNone = SIZE_MAX;

[[noreturn]] void no_such_comparison(int cmp) noexcept;

/// After a test that failed: who only tests has to do its part for others all the same, and with more PEs than
/// processors the PE that would make it true may need this one.
void after_failed_test() noexcept;

/// Where an "any" scan of n elements begins: not always at 0, or an element that stays true would hide the others.
std::size_t scan_start(std::size_t n) noexcept;

template <class T>
bool compare(T held, int cmp, T value) noexcept {
  switch (cmp) {
    case SHMEM_CMP_EQ: return held == value;
    case SHMEM_CMP_NE: return held != value;
    case SHMEM_CMP_GT: return held > value;
    case SHMEM_CMP_GE: return held >= value;
    case SHMEM_CMP_LT: return held < value;
    case SHMEM_CMP_LE: return held <= value;
    default: no_such_comparison(cmp);
  }
}

/// What a wait looks at: one variable or an array of them, a mask of those to leave out, and one value or one each.
template <class T>
struct Watch {
  const T* ivars;
  std::size_t n;
  const int* status;  // null: all count; non-zero excludes
  int cmp;
  const T* values;
  std::size_t value_step;  // 0: one value for all

  void check() const noexcept {
    need_ready();
    if (n > 0) {
      need_symmetric(ivars, bytes_of(n, sizeof(T)), "ivar");
      if (reinterpret_cast<std::uintptr_t>(ivars) % sizeof(T) != 0) {
        misaligned(ivars, sizeof(T), "ivar");
      }
    }
    (void)compare<T>(T{}, cmp, T{});  // an unknown comparison is an error even when nothing is compared
  }
  bool counts(std::size_t i) const noexcept { return status == nullptr || status[i] == 0; }
  bool holds(std::size_t i) const noexcept {
    // Acquire, see above.
    return compare<T>(__atomic_load_n(&ivars[i], __ATOMIC_ACQUIRE), cmp, values[i * value_step]);
  }
  bool is_missing(std::size_t i) const noexcept { return counts(i) && !holds(i); }
  bool empty() const noexcept {
    for (std::size_t i = 0; i < n; ++i) {
      if (counts(i)) {
        return false;
      }
    }
    return true;
  }
  bool all() const noexcept {
    for (std::size_t i = 0; i < n; ++i) {
      if (counts(i) && !holds(i)) {
        return false;
      }
    }
    return true;
  }
  std::size_t any() const noexcept {
    const std::size_t start = scan_start(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = start + k < n ? start + k : start + k - n;
      if (counts(i) && holds(i)) {
        return i;
      }
    }
    return kNone;
  }
  std::size_t some(std::size_t* indices) const noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (counts(i) && holds(i)) {
        indices[found++] = i;
      }
    }
    return found;
  }
};

/// What people are told of a wait for `n` elements from `first` on.
template <class T>
struct ValueNote {
  // Before the elements of an array are counted for people the wait is so long that nobody notices, and the first so
  // many are enough to tell what is wrong.
  static constexpr std::uint64_t kCountAfterNs = 50'000'000;
  static constexpr std::size_t kMostCounted = std::size_t{1} << 16;

  const Watch<T>& watch;
  std::size_t first;
  std::size_t n;

  int begin() const noexcept {
    return job::begin_wait({.why = boot::Waiting::kValue,
                            .object = watch.ivars + first,
                            .elements = n,
                            // The very bits; with several values the first, which all that can be told in one word.
                            .wanted = static_cast<std::uint64_t>(watch.values[first * watch.value_step]),
                            .compare = static_cast<std::uint32_t>(watch.cmp),
                            .type = static_cast<std::uint32_t>(sizeof(T)) | (std::is_signed_v<T> ? boot::kSigned : 0),
                            .given = watch.n,
                            .index = first});
  }
  void looked(int place, std::uint64_t waited_ns) const noexcept {
    job::looked_in_vain(place);
    if (watch.n > 1 && waited_ns >= kCountAfterNs) {
      job::note_missing_ranges(place, tell_missing(place));
    }
  }
  void end(int place) const noexcept { job::end_wait(place); }

 private:
  // Elements before `first` have been as wanted.
  int tell_missing(int place) const noexcept {
    int ranges = 0;
    const std::size_t end = watch.n - first < kMostCounted ? watch.n : first + kMostCounted;
    for (std::size_t i = first; i < end && ranges < boot::kMissing; ++i) {
      if (!watch.is_missing(i)) {
        continue;
      }
      const std::size_t from = i;
      while (i + 1 < end && watch.is_missing(i + 1)) {
        ++i;
      }
      job::note_missing(place, ranges++, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(i));
    }
    return ranges;
  }
};

/// Returns when done() is true; done() reads with acquire order.
template <class T, class Done>
void wait_for_value(const ValueNote<T>& note, Done&& done) noexcept {
  if (done()) {
    return;
  }
  job::Node& here = job::node();
  job::SharedHead& head = job::shared_head(here.job);
  sync::wait_uncrowded(here.patience, here.value_bell(here.local), &head.value_sleepers, note, done);
}

template <class T>
void wait_until_all(const Watch<T>& watch) noexcept {
  watch.check();
  // One after the other: an element that has held once has been seen.
  for (std::size_t i = 0; i < watch.n; ++i) {
    if (watch.counts(i)) {
      wait_for_value(ValueNote<T>{watch, i, 1}, [&] { return watch.holds(i); });
    }
  }
}

template <class T>
std::size_t wait_until_any(const Watch<T>& watch) noexcept {
  watch.check();
  if (watch.empty()) {
    return kNone;
  }
  std::size_t found = kNone;
  wait_for_value(ValueNote<T>{watch, 0, watch.n}, [&] { return (found = watch.any()) != kNone; });
  return found;
}

template <class T>
std::size_t wait_until_some(const Watch<T>& watch, std::size_t* indices) noexcept {
  watch.check();
  if (watch.empty()) {
    return 0;
  }
  std::size_t found = 0;
  wait_for_value(ValueNote<T>{watch, 0, watch.n}, [&] { return (found = watch.some(indices)) != 0; });
  return found;
}

template <class T>
bool test_all(const Watch<T>& watch) noexcept {
  watch.check();
  const bool held = watch.all();
  if (!held) {
    after_failed_test();
  }
  return held;
}

template <class T>
std::size_t test_any(const Watch<T>& watch) noexcept {
  watch.check();
  const std::size_t found = watch.any();
  if (found == kNone) {
    after_failed_test();
  }
  return found;
}

template <class T>
std::size_t test_some(const Watch<T>& watch, std::size_t* indices) noexcept {
  watch.check();
  const std::size_t found = watch.some(indices);
  if (found == 0) {
    after_failed_test();
  }
  return found;
}

/// Waits for one variable and returns the very value that satisfied the comparison.
template <class T>
T wait_until(const T* ivar, int cmp, T value) noexcept {
  const Watch<T> watch{ivar, 1, nullptr, cmp, &value, 0};
  watch.check();
  T held{};
  wait_for_value(ValueNote<T>{watch, 0, 1}, [&] {
    held = __atomic_load_n(ivar, __ATOMIC_ACQUIRE);
    return compare<T>(held, cmp, value);
  });
  return held;
}

}  // namespace weft::shmem::checked
