// Bodies of the routines that exist once for each type: what the generated bindings call (api/routines.toml).
//
// Each checks its context, turns the number of the PE in the context's team into that of the job, and hands on to the
// checked operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "copy/copy.hpp"
#include "shmem.h"
#include "shmem/atomics.hpp"
#include "shmem/contexts.hpp"
#include "shmem/near.hpp"
#include "shmem/signals.hpp"
#include "shmem/transfer.hpp"
#include "shmem/wait.hpp"

namespace weft::shmem {

using copy::Bits128;

/// Out of line, so that the short way saves no registers for it.
template <class Body, class... Arguments>
[[gnu::noinline]] auto otherwise(Body body, Arguments... arguments) noexcept {
  return body(arguments...);
}

// --- put and get -----------------------------------------------------------------------------------------------------

/// Of at least one byte and less than copy::kSmall, which nelems elements of that size are.
inline bool is_short(std::size_t nelems, std::size_t size) noexcept {
  return nelems - 1 < (copy::kSmall - 1) / size;  // unsigned: no element is the largest number
}

/// A copy's short way, to a PE of this node; `move` is the checked operation that does it otherwise.
// Two steps: what is short stands in each entry of the library, the rest once for each type.
template <auto move, class T>
[[gnu::noinline]] void put_any(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems, int pe) noexcept {
  std::size_t bytes = 0;
  void* at = nullptr;
  if (!__builtin_mul_overflow(nelems, sizeof(T), &bytes) && bytes != 0 && source != nullptr &&
      near(ctx, dest, bytes, pe, &at)) [[likely]] {
    copy::copy(at, source, bytes);
    return;
  }
  otherwise([](shmem_ctx_t on, T* to, const T* from, std::size_t count,
               int number) noexcept { move(to, from, bytes_of(count, sizeof(T)), target_of(on, number)); },
            ctx, dest, source, nelems, pe);
}

template <auto move, class T>
[[gnu::always_inline]] inline void put_by(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems,
                                          int pe) noexcept {
  void* at = nullptr;
  if (is_short(nelems, sizeof(T)) && source != nullptr && near_short(ctx, dest, nelems * sizeof(T), pe, &at))
      [[likely]] {
    copy::copy_short(at, source, nelems * sizeof(T));
    return;
  }
  put_any<move>(ctx, dest, source, nelems, pe);
}

template <auto move, class T>
[[gnu::noinline]] void get_any(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems, int pe) noexcept {
  std::size_t bytes = 0;
  void* at = nullptr;
  if (!__builtin_mul_overflow(nelems, sizeof(T), &bytes) && bytes != 0 && dest != nullptr &&
      near(ctx, source, bytes, pe, &at)) [[likely]] {
    copy::copy(dest, at, bytes);
    return;
  }
  otherwise([](shmem_ctx_t on, T* to, const T* from, std::size_t count,
               int number) noexcept { move(to, from, bytes_of(count, sizeof(T)), target_of(on, number)); },
            ctx, dest, source, nelems, pe);
}

template <auto move, class T>
[[gnu::always_inline]] inline void get_by(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems,
                                          int pe) noexcept {
  void* at = nullptr;
  if (is_short(nelems, sizeof(T)) && dest != nullptr && near_short(ctx, source, nelems * sizeof(T), pe, &at))
      [[likely]] {
    copy::copy_short(dest, at, nelems * sizeof(T));
    return;
  }
  get_any<move>(ctx, dest, source, nelems, pe);
}

template <class T>
[[gnu::always_inline]] inline void put(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems, int pe) noexcept {
  put_by<checked::put>(ctx, dest, source, nelems, pe);
}

template <class T>
[[gnu::always_inline]] inline void put_nbi(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems,
                                           int pe) noexcept {
  put_by<checked::put_nbi>(ctx, dest, source, nelems, pe);
}

template <class T>
[[gnu::always_inline]] inline void get(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems, int pe) noexcept {
  get_by<checked::get>(ctx, dest, source, nelems, pe);
}

template <class T>
[[gnu::always_inline]] inline void get_nbi(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems,
                                           int pe) noexcept {
  get_by<checked::get_nbi>(ctx, dest, source, nelems, pe);
}

template <class T>
[[gnu::always_inline]] inline void p(shmem_ctx_t ctx, T* dest, T value, int pe) noexcept {
  if (void* at = nullptr; near_short(ctx, dest, sizeof(T), pe, &at)) [[likely]] {
    checked::store_one(static_cast<T*>(at), value);
    return;
  }
  otherwise(
      [](shmem_ctx_t on, T* to, T what, int number) noexcept { checked::put_one(to, what, target_of(on, number)); },
      ctx, dest, value, pe);
}

template <class T>
[[gnu::always_inline]] inline T g(shmem_ctx_t ctx, const T* source, int pe) noexcept {
  if (void* at = nullptr; near_short(ctx, source, sizeof(T), pe, &at)) [[likely]] {
    return *static_cast<const volatile T*>(at);
  }
  return otherwise(
      [](shmem_ctx_t on, const T* from, int number) noexcept { return checked::get_one(from, target_of(on, number)); },
      ctx, source, pe);
}

template <class T>
void iput(shmem_ctx_t ctx, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
          int pe) noexcept {
  checked::strided<checked::Way::kPut>(dest, source, {dst, sst, 1}, nelems, target_of(ctx, pe));
}

template <class T>
void iget(shmem_ctx_t ctx, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
          int pe) noexcept {
  checked::strided<checked::Way::kGet>(dest, source, {dst, sst, 1}, nelems, target_of(ctx, pe));
}

template <class T>
void ibput(shmem_ctx_t ctx, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
           std::size_t nblocks, int pe) noexcept {
  checked::strided<checked::Way::kPut>(dest, source, {dst, sst, bsize}, nblocks, target_of(ctx, pe));
}

template <class T>
void ibget(shmem_ctx_t ctx, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
           std::size_t nblocks, int pe) noexcept {
  checked::strided<checked::Way::kGet>(dest, source, {dst, sst, bsize}, nblocks, target_of(ctx, pe));
}

// --- atomic memory operations ----------------------------------------------------------------------------------------

template <rma::Op op, class T>
[[gnu::always_inline]] inline T fetching(shmem_ctx_t ctx, const T* address, int pe, T operand = {},
                                         T cond = {}) noexcept {
  if (T* at = nullptr; near_word(ctx, address, pe, &at)) [[likely]] {
    return rma::on_processor<op>(at, operand, cond);
  }
  return otherwise([](shmem_ctx_t on, const T* word, int number, T with,
                      T if_this) noexcept { return checked::fetching<op>(word, target_of(on, number), with, if_this); },
                   ctx, address, pe, operand, cond);
}

template <rma::Op op, class T>
[[gnu::always_inline]] inline void updating(shmem_ctx_t ctx, T* address, int pe, T operand) noexcept {
  if (T* at = nullptr; near_word(ctx, address, pe, &at)) [[likely]] {
    rma::update_on_processor<op>(at, operand);
    return;
  }
  otherwise([](shmem_ctx_t on, T* word, int number,
               T with) noexcept { checked::updating<op>(word, target_of(on, number), with); },
            ctx, address, pe, operand);
}

template <class T>
[[gnu::always_inline]] inline T atomic_fetch(shmem_ctx_t ctx, const T* source, int pe) noexcept {
  return fetching<rma::Op::kFetch>(ctx, source, pe);
}

template <class T>
void atomic_fetch_nbi(shmem_ctx_t ctx, T* fetch, const T* source, int pe) noexcept {
  checked::fetching_nbi<rma::Op::kFetch>(fetch, source, target_of(ctx, pe));
}

template <class T>
[[gnu::always_inline]] inline void atomic_set(shmem_ctx_t ctx, T* dest, T value, int pe) noexcept {
  updating<rma::Op::kSet>(ctx, dest, pe, value);
}

template <class T>
[[gnu::always_inline]] inline T atomic_compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value, int pe) noexcept {
  return fetching<rma::Op::kCompareSwap>(ctx, dest, pe, value, cond);
}

template <class T>
void atomic_compare_swap_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T cond, T value, int pe) noexcept {
  checked::fetching_nbi<rma::Op::kCompareSwap>(fetch, dest, target_of(ctx, pe), value, cond);
}

// With and without the value that was there, at once or with the next quiet.
#define WEFT_FETCHING(NAME, OP)                                                                       \
  template <class T>                                                                                  \
  [[gnu::always_inline]] inline T atomic_##NAME(shmem_ctx_t ctx, T* dest, T value, int pe) noexcept { \
    return fetching<rma::Op::OP>(ctx, static_cast<const T*>(dest), pe, value);                        \
  }                                                                                                   \
  template <class T>                                                                                  \
  void atomic_##NAME##_nbi(shmem_ctx_t ctx, T* fetch, T* dest, T value, int pe) noexcept {            \
    checked::fetching_nbi<rma::Op::OP>(fetch, dest, target_of(ctx, pe), value);                       \
  }
#define WEFT_UPDATING(NAME, OP)                                                                          \
  template <class T>                                                                                     \
  [[gnu::always_inline]] inline void atomic_##NAME(shmem_ctx_t ctx, T* dest, T value, int pe) noexcept { \
    updating<rma::Op::OP>(ctx, dest, pe, value);                                                         \
  }
WEFT_FETCHING(swap, kSwap)
WEFT_FETCHING(fetch_add, kAdd)
WEFT_FETCHING(fetch_and, kAnd)
WEFT_FETCHING(fetch_or, kOr)
WEFT_FETCHING(fetch_xor, kXor)
WEFT_UPDATING(add, kAdd)
WEFT_UPDATING(and, kAnd)
WEFT_UPDATING(or, kOr)
WEFT_UPDATING(xor, kXor)
#undef WEFT_FETCHING
#undef WEFT_UPDATING

template <class T>
[[gnu::always_inline]] inline T atomic_fetch_inc(shmem_ctx_t ctx, T* dest, int pe) noexcept {
  return atomic_fetch_add(ctx, dest, T{1}, pe);
}

template <class T>
void atomic_fetch_inc_nbi(shmem_ctx_t ctx, T* fetch, T* dest, int pe) noexcept {
  atomic_fetch_add_nbi(ctx, fetch, dest, T{1}, pe);
}

template <class T>
[[gnu::always_inline]] inline void atomic_inc(shmem_ctx_t ctx, T* dest, int pe) noexcept {
  atomic_add(ctx, dest, T{1}, pe);
}

// --- signals ---------------------------------------------------------------------------------------------------------

inline void signal_near(shmem_ctx_t ctx, std::uint64_t* word, std::uint64_t signal, rma::Op op, int pe) noexcept {
  const int number = ctx == SHMEM_CTX_DEFAULT ? pe : static_cast<const Context*>(ctx)->team->members.pe(pe);
  rma::signal(word, signal, op, number);
}

/// False: nothing has been done, and it goes the other way.
inline bool put_signal_near(shmem_ctx_t ctx, void* dest, const void* source, std::size_t nelems, std::size_t size,
                            std::uint64_t* sig_addr, std::uint64_t signal, int sig_op, int pe) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(nelems, size, &bytes) || bytes == 0 || source == nullptr ||
      (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD)) [[unlikely]] {
    return false;
  }
  void* at = nullptr;
  std::uint64_t* word = nullptr;
  if (!near(ctx, dest, bytes, pe, &at) || !near_word(ctx, sig_addr, pe, &word)) [[unlikely]] {
    return false;
  }
  copy::copy(at, source, bytes);
  signal_near(ctx, word, signal, sig_op == SHMEM_SIGNAL_SET ? rma::Op::kSet : rma::Op::kAdd, pe);
  return true;
}

template <class T>
void put_signal(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems, std::uint64_t* sig_addr,
                std::uint64_t signal, int sig_op, int pe) noexcept {
  if (put_signal_near(ctx, dest, source, nelems, sizeof(T), sig_addr, signal, sig_op, pe)) [[likely]] {
    return;
  }
  checked::put_signal(dest, source, bytes_of(nelems, sizeof(T)), true, sig_addr, signal, sig_op, target_of(ctx, pe));
}

template <class T>
void put_signal_nbi(shmem_ctx_t ctx, T* dest, const T* source, std::size_t nelems, std::uint64_t* sig_addr,
                    std::uint64_t signal, int sig_op, int pe) noexcept {
  if (put_signal_near(ctx, dest, source, nelems, sizeof(T), sig_addr, signal, sig_op, pe)) [[likely]] {
    return;
  }
  checked::put_signal(dest, source, bytes_of(nelems, sizeof(T)), false, sig_addr, signal, sig_op, target_of(ctx, pe));
}

inline void signal_set(shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe) noexcept {
  if (std::uint64_t* word = nullptr; near_word(ctx, sig_addr, pe, &word)) [[likely]] {
    signal_near(ctx, word, signal, rma::Op::kSet, pe);
    return;
  }
  checked::raise_signal(sig_addr, signal, SHMEM_SIGNAL_SET, target_of(ctx, pe));
}

inline void signal_add(shmem_ctx_t ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe) noexcept {
  if (std::uint64_t* word = nullptr; near_word(ctx, sig_addr, pe, &word)) [[likely]] {
    signal_near(ctx, word, signal, rma::Op::kAdd, pe);
    return;
  }
  checked::raise_signal(sig_addr, signal, SHMEM_SIGNAL_ADD, target_of(ctx, pe));
}

inline std::uint64_t signal_fetch(const std::uint64_t* sig_addr) noexcept {
  need_symmetric(sig_addr, sizeof *sig_addr, "sig_addr");
  // Acquire: a program may go on to read the data this signal announces.
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}

inline std::uint64_t signal_wait_until(const std::uint64_t* sig_addr, int cmp, std::uint64_t cmp_value) noexcept {
  return checked::wait_until(sig_addr, cmp, cmp_value);
}

// --- point-to-point synchronisation ----------------------------------------------------------------------------------

template <class T>
void wait_until(const T* ivar, int cmp, T value) noexcept {
  (void)checked::wait_until(ivar, cmp, value);
}

template <class T>
void wait(const T* ivar, T value) noexcept {
  (void)checked::wait_until(ivar, SHMEM_CMP_NE, value);
}

template <class T>
int test(const T* ivar, int cmp, T value) noexcept {
  return checked::test_all<T>({ivar, 1, nullptr, cmp, &value, 0}) ? 1 : 0;
}

template <class T>
void wait_until_all(const T* ivars, std::size_t n, const int* status, int cmp, T value) noexcept {
  checked::wait_until_all<T>({ivars, n, status, cmp, &value, 0});
}

template <class T>
std::size_t wait_until_any(const T* ivars, std::size_t n, const int* status, int cmp, T value) noexcept {
  return checked::wait_until_any<T>({ivars, n, status, cmp, &value, 0});
}

template <class T>
std::size_t wait_until_some(const T* ivars, std::size_t n, std::size_t* indices, const int* status, int cmp,
                            T value) noexcept {
  return checked::wait_until_some<T>({ivars, n, status, cmp, &value, 0}, indices);
}

template <class T>
void wait_until_all_vector(const T* ivars, std::size_t n, const int* status, int cmp, const T* values) noexcept {
  checked::wait_until_all<T>({ivars, n, status, cmp, values, 1});
}

template <class T>
std::size_t wait_until_any_vector(const T* ivars, std::size_t n, const int* status, int cmp, const T* values) noexcept {
  return checked::wait_until_any<T>({ivars, n, status, cmp, values, 1});
}

template <class T>
std::size_t wait_until_some_vector(const T* ivars, std::size_t n, std::size_t* indices, const int* status, int cmp,
                                   const T* values) noexcept {
  return checked::wait_until_some<T>({ivars, n, status, cmp, values, 1}, indices);
}

template <class T>
int test_all(const T* ivars, std::size_t n, const int* status, int cmp, T value) noexcept {
  return checked::test_all<T>({ivars, n, status, cmp, &value, 0}) ? 1 : 0;
}

template <class T>
std::size_t test_any(const T* ivars, std::size_t n, const int* status, int cmp, T value) noexcept {
  return checked::test_any<T>({ivars, n, status, cmp, &value, 0});
}

template <class T>
std::size_t test_some(const T* ivars, std::size_t n, std::size_t* indices, const int* status, int cmp,
                      T value) noexcept {
  return checked::test_some<T>({ivars, n, status, cmp, &value, 0}, indices);
}

template <class T>
int test_all_vector(const T* ivars, std::size_t n, const int* status, int cmp, const T* values) noexcept {
  return checked::test_all<T>({ivars, n, status, cmp, values, 1}) ? 1 : 0;
}

template <class T>
std::size_t test_any_vector(const T* ivars, std::size_t n, const int* status, int cmp, const T* values) noexcept {
  return checked::test_any<T>({ivars, n, status, cmp, values, 1});
}

template <class T>
std::size_t test_some_vector(const T* ivars, std::size_t n, std::size_t* indices, const int* status, int cmp,
                             const T* values) noexcept {
  return checked::test_some<T>({ivars, n, status, cmp, values, 1}, indices);
}

}  // namespace weft::shmem
