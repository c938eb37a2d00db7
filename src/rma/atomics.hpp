// Atomic memory operations (OpenSHMEM 1.6, section 9.7), executed by this processor on the peer's copy.
//
// All PEs of the node use the same instructions on the same word, so they are mutually atomic, and atomic with the
// waits of sync. Relaxed order: the standard gives these operations none, shmem_fence and shmem_quiet supply it.
#pragma once

#include <cstdint>

#include "base/report.hpp"
#include "rma/node.hpp"

namespace weft::rma {

[[noreturn]] void misaligned(const void* address, std::size_t alignment, const char* argument) noexcept;

template <class T>
T* atomic_at(const T* address, int pe, const char* argument = "dest") noexcept {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]] {
    misaligned(address, sizeof(T), argument);
  }
  return static_cast<T*>(peer(address, sizeof(T), pe, argument));
}

template <class T>
T atomic_fetch(const T* source, int pe) noexcept {
  T value;
  __atomic_load(atomic_at(source, pe, "source"), &value, __ATOMIC_RELAXED);
  return value;
}

template <class T>
void atomic_set(T* dest, T value, int pe) noexcept {
  __atomic_store(atomic_at(dest, pe), &value, __ATOMIC_RELAXED);
}

template <class T>
T atomic_swap(T* dest, T value, int pe) noexcept {
  T before;
  __atomic_exchange(atomic_at(dest, pe), &value, &before, __ATOMIC_RELAXED);
  return before;
}

template <class T>
T atomic_compare_swap(T* dest, T cond, T value, int pe) noexcept {
  // On failure cond becomes what was there; on success it was there.
  __atomic_compare_exchange_n(atomic_at(dest, pe), &cond, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return cond;
}

// Signed overflow wraps: the atomic built-ins are defined so.
template <class T>
T atomic_fetch_add(T* dest, T value, int pe) noexcept {
  return __atomic_fetch_add(atomic_at(dest, pe), value, __ATOMIC_RELAXED);
}

template <class T>
T atomic_fetch_and(T* dest, T value, int pe) noexcept {
  return __atomic_fetch_and(atomic_at(dest, pe), value, __ATOMIC_RELAXED);
}

template <class T>
T atomic_fetch_or(T* dest, T value, int pe) noexcept {
  return __atomic_fetch_or(atomic_at(dest, pe), value, __ATOMIC_RELAXED);
}

template <class T>
T atomic_fetch_xor(T* dest, T value, int pe) noexcept {
  return __atomic_fetch_xor(atomic_at(dest, pe), value, __ATOMIC_RELAXED);
}

}  // namespace weft::rma
