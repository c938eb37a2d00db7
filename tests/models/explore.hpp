// Explores what PEs may do to words that they share: all interleavings, and all that the memory may show them.
//
// The code of the rooms itself runs here, with std::atomic, futexes, clock and yield replaced (replaced.hpp). Each
// operation on a shared word is a point where any other PE may go on. README.md says how memory is modelled, and what
// is left out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::explore {

using Site = std::source_location;

// --- what a model is -------------------------------------------------------------------------------------------------

/// One line of the code under test behaves as if an engineer had got it wrong.
struct Fault {
  enum class Kind : std::uint8_t {
    kRelaxed,  // the operation is done with relaxed order; a fence is not there
    kOmitted,  // the operation is not done: a look shows what the last one showed, a change changes nothing
  };
  std::string file;  // below src/
  std::string text;  // occurs in one line of it, or the `nth` that has it
  Kind kind = Kind::kRelaxed;
  int nth = 1;
};

struct Model {
  std::string name;
  int pes = 2;
  /// Sets the words to what they are at the beginning and tells share() of them.
  std::function<void()> set_up;
  /// What a PE does in its call-th turn; false: it has no further one. Between two turns a PE knows nothing but their
  /// number. It must do the same when it is run again.
  std::function<bool(int pe, int call)> run;
  /// Waits are given more patience than they ever need; a yield then lasts until there is something new to see. For
  /// models that would be too large with sleepers.
  bool stays_awake = false;
  /// Takes long: explored with `--large`, and only then.
  bool is_large = false;
};

struct Finding {
  bool wrong = false;
  std::string text;  // what is wrong, and how it came about
  std::uint64_t states = 0;
};
Finding explore(const Model& model, const std::vector<Fault>& faults = {});

// --- for set_up ------------------------------------------------------------------------------------------------------

/// A word that PEs share. Those that are not are the business of the PE that has them.
void share(const void* at, std::size_t bytes, const char* name);
template <class T>
void share(const T& word, const char* name) {
  share(&word, sizeof word, name);
}
// --- for run ---------------------------------------------------------------------------------------------------------

/// What must hold.
void check(bool holds, const char* what) noexcept;
/// A count that is no part of the code under test: it is changed at once and seen by all. Returns what it is then.
int count(int which, int by) noexcept;

// --- operations of the code under test -------------------------------------------------------------------------------

enum class Change : std::uint8_t { kAdd, kSet, kOr, kCompareSwap };

std::uint64_t load(const void* at, std::size_t bytes, std::memory_order order, const Site& site) noexcept;
void store(void* at, std::size_t bytes, std::uint64_t value, std::memory_order order, const Site& site) noexcept;
/// Returns what was there before.
std::uint64_t update(void* at, std::size_t bytes, Change change, std::uint64_t operand, std::uint64_t compare,
                     std::memory_order order, const Site& site) noexcept;
void fence(std::memory_order order, const Site& site) noexcept;
void futex_wait(const void* at, std::uint32_t expected, std::uint32_t waiters) noexcept;
void futex_wake(const void* at, std::uint32_t waiters) noexcept;
void yield(const Site& site) noexcept;
std::uint64_t now_ns() noexcept;

/// In place of std::atomic.
template <class T>
class Atomic {
 public:
  static constexpr bool is_always_lock_free = true;  // as code that asserts it asks

  Atomic() = default;
  constexpr Atomic(T value) noexcept : raw_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst, const Site& site = Site::current()) const noexcept {
    return from(explore::load(&raw_, sizeof raw_, order, site));
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst,
             const Site& site = Site::current()) noexcept {
    explore::store(&raw_, sizeof raw_, bits(value), order, site);
  }
  T fetch_add(T by, std::memory_order order = std::memory_order_seq_cst, const Site& site = Site::current()) noexcept {
    return from(explore::update(&raw_, sizeof raw_, Change::kAdd, bits(by), 0, order, site));
  }
  T fetch_sub(T by, std::memory_order order = std::memory_order_seq_cst, const Site& site = Site::current()) noexcept {
    return fetch_add(static_cast<T>(T{} - by), order, site);
  }
  T fetch_or(T bits_too, std::memory_order order = std::memory_order_seq_cst,
             const Site& site = Site::current()) noexcept {
    return from(explore::update(&raw_, sizeof raw_, Change::kOr, bits(bits_too), 0, order, site));
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst,
             const Site& site = Site::current()) noexcept {
    return from(explore::update(&raw_, sizeof raw_, Change::kSet, bits(value), 0, order, site));
  }
  // Never fails for no reason; the order of a failure is taken to be that of the success.
  bool compare_exchange_strong(T& expected, T value, std::memory_order order,
                               std::memory_order = std::memory_order_relaxed,
                               const Site& site = Site::current()) noexcept {
    const T before =
        from(explore::update(&raw_, sizeof raw_, Change::kCompareSwap, bits(value), bits(expected), order, site));
    const bool same = before == expected;
    expected = before;
    return same;
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order order,
                             std::memory_order failure = std::memory_order_relaxed,
                             const Site& site = Site::current()) noexcept {
    return compare_exchange_strong(expected, value, order, failure, site);
  }

 private:
  static std::uint64_t bits(T value) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T from(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  T raw_;
};

// --- programs --------------------------------------------------------------------------------------------------------

/// What is wrong, in words.
struct NamedFault {
  std::string name;
  std::vector<Fault> faults;
  /// Looked for with the large models.
  bool is_large = false;
};
/// Explores all, and with each fault until one finds something wrong. 0: as it should be.
int run_all(const std::vector<Model>& models, const std::vector<NamedFault>& faults, int argc, char** argv);

}  // namespace weft::explore
