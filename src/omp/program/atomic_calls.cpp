// What a program calls for its atomic operations, where it was compiled so that these are calls (-fno-inline-atomics,
// as the wrappers have it): by libatomic's names, before libatomic. Beside instructions that are rewritten
// (atomics.hpp) these say which order is meant, and loads and stores are among them.
//
// A load or store of the program that is no call works on the copy of this process. So what it has stored there goes
// home before an operation that orders nothing, too, and an operation leaves in the copy what it has found.
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "dsm/waits.hpp"
#include "dsm/words.hpp"
#include "omp/far/far.hpp"

namespace weft::omp::program {
namespace {

using dsm::Op;

// Above these bits an order may be told of transactions.
constexpr int kOrder = 0xff;

bool releases(int order) noexcept {
  order &= kOrder;
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
bool acquires(int order) noexcept {
  order &= kOrder;
  return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

// Where it is to be carried out at its home; kNowhere: the processor's instruction does it here.
template <class T>
std::uint64_t offset_by_pages(const volatile void* word) noexcept {
  return dsm::g.way == dsm::Way::kPages ? dsm::offset_of_operand(const_cast<const void*>(word), sizeof(T))
                                        : dsm::kNowhere;
}

// An operation at its home. What it calls may set errno, which is the program's.
template <class Carry>
std::uint64_t at_home(std::uint64_t offset, std::uint8_t bytes, bool release, bool acquire, Carry&& carry) noexcept {
  const int kept = errno;
  if (release ? !dsm::is_released() : dsm::is_held_back(offset, bytes)) {
    dsm::release(far::others_wait() ? dsm::kOweAll : dsm::kOweNobody);
  }
  const std::uint64_t found = carry();
  // Of this process's threads among each other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (acquire && !dsm::is_acquired()) {
    dsm::acquire();
  }
  errno = kept;
  return found;
}

// What a thread has last found, and how often in a row.
struct Found {
  std::uint64_t offset = dsm::kNowhere;
  std::uint64_t value = 0;
  std::uint32_t times = 0;
};
constinit thread_local Found t_found;

// A loop that reads a word which is at home here until somebody changes it asks nobody. What changes the word comes by
// the network, and the thread that serves others gets a processor from such a loop milliseconds later.
void look_while_it_waits(std::uint64_t offset, std::uint64_t value) noexcept {
  constexpr std::uint32_t kWaits = 16;
  if (t_found.offset != offset || t_found.value != value) {
    t_found = {offset, value, 0};
  } else if (t_found.times < kWaits) {
    ++t_found.times;
  } else {
    dsm::look_at_network();
  }
}

template <class T>
T load(const volatile void* word, int order) noexcept {
  const std::uint64_t offset = offset_by_pages<T>(word);
  if (offset == dsm::kNowhere) {
    return __atomic_load_n(static_cast<const volatile T*>(word), __ATOMIC_SEQ_CST);
  }
  return static_cast<T>(at_home(offset, sizeof(T), false, acquires(order), [&] {
    const std::uint64_t value = dsm::look_by_pages(offset, sizeof(T));
    look_while_it_waits(offset, value);
    return value;
  }));
}

template <class T>
T operate(volatile void* word, std::uint64_t offset, Op op, T operand, T expected, int order) noexcept {
  return static_cast<T>(at_home(offset, sizeof(T), releases(order), acquires(order), [&] {
    return dsm::operate(const_cast<const void*>(word), offset, {op, sizeof(T), operand, expected});
  }));
}

template <class T>
void store(volatile void* word, T value, int order) noexcept {
  auto* const here = static_cast<volatile T*>(word);
  const std::uint64_t offset = offset_by_pages<T>(word);
  if (offset != dsm::kNowhere) {
    (void)operate<T>(word, offset, Op::kStore, value, 0, order);
  } else if ((order & kOrder) == __ATOMIC_SEQ_CST) {
    __atomic_store_n(here, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n(here, value, __ATOMIC_RELEASE);
  }
}

template <class T>
T exchange(volatile void* word, T value, int order) noexcept {
  const std::uint64_t offset = offset_by_pages<T>(word);
  return offset == dsm::kNowhere ? __atomic_exchange_n(static_cast<volatile T*>(word), value, __ATOMIC_SEQ_CST)
                                 : operate<T>(word, offset, Op::kSwap, value, 0, order);
}

// One that fails has the order of both: what it has found may be somebody's who has released.
template <class T>
bool compare_exchange(volatile void* word, void* expected, T value, int order, int if_not) noexcept {
  const std::uint64_t offset = offset_by_pages<T>(word);
  T* const wanted = static_cast<T*>(expected);
  if (offset == dsm::kNowhere) {
    return __atomic_compare_exchange_n(static_cast<volatile T*>(word), wanted, value, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  }
  const T before = static_cast<T>(at_home(offset, sizeof(T), releases(order), acquires(order) || acquires(if_not), [&] {
    return dsm::operate(const_cast<const void*>(word), offset, {Op::kCompareSwap, sizeof(T), value, *wanted});
  }));
  if (before == *wanted) {
    return true;
  }
  *wanted = before;
  return false;
}

enum class Arithmetic : std::uint8_t { kAdd, kSub, kAnd, kOr, kXor, kNand };

template <Arithmetic kHow, class T>
T result_of(T before, T operand) noexcept {
  switch (kHow) {
    case Arithmetic::kAdd: return static_cast<T>(before + operand);
    case Arithmetic::kSub: return static_cast<T>(before - operand);
    case Arithmetic::kAnd: return before & operand;
    case Arithmetic::kOr: return before | operand;
    case Arithmetic::kXor: return before ^ operand;
    case Arithmetic::kNand: break;
  }
  return static_cast<T>(~(before & operand));
}

template <Arithmetic kHow, class T>
T fetch(volatile void* word, T operand, int order) noexcept {
  auto* const here = static_cast<volatile T*>(word);
  const std::uint64_t offset = offset_by_pages<T>(word);
  const bool is_here = offset == dsm::kNowhere;
  if constexpr (kHow == Arithmetic::kNand) {
    T seen = load<T>(word, __ATOMIC_RELAXED);
    while (!compare_exchange<T>(word, &seen, result_of<kHow>(seen, operand), order, __ATOMIC_RELAXED)) {
    }
    return seen;
  } else if constexpr (kHow == Arithmetic::kAdd) {
    return is_here ? __atomic_fetch_add(here, operand, __ATOMIC_SEQ_CST)
                   : operate<T>(word, offset, Op::kAdd, operand, 0, order);
  } else if constexpr (kHow == Arithmetic::kSub) {
    return fetch<Arithmetic::kAdd, T>(word, static_cast<T>(T{0} - operand), order);
  } else if constexpr (kHow == Arithmetic::kAnd) {
    return is_here ? __atomic_fetch_and(here, operand, __ATOMIC_SEQ_CST)
                   : operate<T>(word, offset, Op::kAnd, operand, 0, order);
  } else if constexpr (kHow == Arithmetic::kOr) {
    return is_here ? __atomic_fetch_or(here, operand, __ATOMIC_SEQ_CST)
                   : operate<T>(word, offset, Op::kOr, operand, 0, order);
  } else {
    return is_here ? __atomic_fetch_xor(here, operand, __ATOMIC_SEQ_CST)
                   : operate<T>(word, offset, Op::kXor, operand, 0, order);
  }
}

}  // namespace
}  // namespace weft::omp::program

// The names are the compiler's own, so they are said to the assembler only.
#pragma GCC visibility push(default)
extern "C" {

#define WEFT_ARITHMETIC(name, how, bytes, T)                                                                        \
  T weft_fetch_##name##_##bytes(volatile void* word, T operand, int order) asm("__atomic_fetch_" #name "_" #bytes); \
  T weft_fetch_##name##_##bytes(volatile void* word, T operand, int order) {                                        \
    return weft::omp::program::fetch<weft::omp::program::Arithmetic::how, T>(word, operand, order);                 \
  }                                                                                                                 \
  T weft_##name##_fetch_##bytes(volatile void* word, T operand, int order) asm("__atomic_" #name "_fetch_" #bytes); \
  T weft_##name##_fetch_##bytes(volatile void* word, T operand, int order) {                                        \
    using weft::omp::program::Arithmetic;                                                                           \
    return weft::omp::program::result_of<Arithmetic::how, T>(                                                       \
        weft::omp::program::fetch<Arithmetic::how, T>(word, operand, order), operand);                              \
  }

#define WEFT_ATOMICS(bytes, T)                                                                                     \
  T weft_atomic_load_##bytes(const volatile void* word, int order) asm("__atomic_load_" #bytes);                   \
  T weft_atomic_load_##bytes(const volatile void* word, int order) {                                               \
    return weft::omp::program::load<T>(word, order);                                                               \
  }                                                                                                                \
  void weft_atomic_store_##bytes(volatile void* word, T value, int order) asm("__atomic_store_" #bytes);           \
  void weft_atomic_store_##bytes(volatile void* word, T value, int order) {                                        \
    weft::omp::program::store<T>(word, value, order);                                                              \
  }                                                                                                                \
  T weft_atomic_exchange_##bytes(volatile void* word, T value, int order) asm("__atomic_exchange_" #bytes);        \
  T weft_atomic_exchange_##bytes(volatile void* word, T value, int order) {                                        \
    return weft::omp::program::exchange<T>(word, value, order);                                                    \
  }                                                                                                                \
  bool weft_atomic_compare_exchange_##bytes(volatile void* word, void* expected, T value, int order,               \
                                            int if_not) asm("__atomic_compare_exchange_" #bytes);                  \
  bool weft_atomic_compare_exchange_##bytes(volatile void* word, void* expected, T value, int order, int if_not) { \
    return weft::omp::program::compare_exchange<T>(word, expected, value, order, if_not);                          \
  }                                                                                                                \
  WEFT_ARITHMETIC(add, kAdd, bytes, T)                                                                             \
  WEFT_ARITHMETIC(sub, kSub, bytes, T)                                                                             \
  WEFT_ARITHMETIC(and, kAnd, bytes, T)                                                                             \
  WEFT_ARITHMETIC(or, kOr, bytes, T)                                                                               \
  WEFT_ARITHMETIC(xor, kXor, bytes, T)                                                                             \
  WEFT_ARITHMETIC(nand, kNand, bytes, T)

WEFT_ATOMICS(1, std::uint8_t)
WEFT_ATOMICS(2, std::uint16_t)
WEFT_ATOMICS(4, std::uint32_t)
WEFT_ATOMICS(8, std::uint64_t)

#undef WEFT_ATOMICS
#undef WEFT_ARITHMETIC
}
#pragma GCC visibility pop
