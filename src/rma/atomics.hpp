// Atomic memory operations (OpenSHMEM 1.6, section 9.7).
//
// All PEs of a node use the same instructions on the same word, so they are mutually atomic, and atomic with the waits
// of sync. PEs of other nodes reach the word through the network; where its operations are not atomic against those of
// the processor (transport/transport.hpp, amo_cpu_coherent), all go through the network: WORLD is one atomicity domain.
// Contexts of SHMEM_TEAM_SHARED, and of teams split from it, are a domain of their own and always use the processor.
// Relaxed order: the standard gives these operations none, shmem_fence and shmem_quiet supply it.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/report.hpp"
#include "rma/network.hpp"
#include "rma/node.hpp"

namespace weft::rma {

using transport::Op;

[[noreturn]] void misaligned(const void* address, std::size_t alignment, const char* argument) noexcept;

template <class T>
void need_aligned(const T* address, const char* argument) noexcept {
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(T) != 0) [[unlikely]] {
    misaligned(address, sizeof(T), argument);
  }
}

/// Where this processor may update the target's word; null where only the network may.
template <class T>
T* atomic_at(const T* address, const Target& target, const char* argument) noexcept {
  need_aligned(address, argument);
  void* at = peer(address, sizeof(T), target.pe, argument);
  return node().amo_by_network && !target.by_processor ? nullptr : static_cast<T*>(at);
}

/// What the network needs to know of a value: its bits are all that counts here.
template <class T>
std::uint64_t bits_of(T value) noexcept {
  std::uint64_t bits = 0;
  static_assert(sizeof value <= sizeof bits);
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
constexpr transport::Type kTypeOf = sizeof(T) == 8   ? transport::Type::k64
                                    : sizeof(T) == 4 ? transport::Type::k32
                                    : sizeof(T) == 2 ? transport::Type::k16
                                                     : transport::Type::k8;

/// Signed overflow wraps: the atomic built-ins are defined so.
template <Op op, class T>
T on_processor(T* at, T operand, T cond) noexcept {
  T before = cond;
  if constexpr (op == Op::kFetch) {
    __atomic_load(at, &before, __ATOMIC_RELAXED);
  } else if constexpr (op == Op::kSet || op == Op::kSwap) {
    __atomic_exchange(at, &operand, &before, __ATOMIC_RELAXED);
  } else if constexpr (op == Op::kCompareSwap) {
    // On failure `before` becomes what was there; on success it was there.
    __atomic_compare_exchange_n(at, &before, operand, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  } else if constexpr (op == Op::kAdd) {
    before = __atomic_fetch_add(at, operand, __ATOMIC_RELAXED);
  } else if constexpr (op == Op::kAnd) {
    before = __atomic_fetch_and(at, operand, __ATOMIC_RELAXED);
  } else if constexpr (op == Op::kOr) {
    before = __atomic_fetch_or(at, operand, __ATOMIC_RELAXED);
  } else {
    before = __atomic_fetch_xor(at, operand, __ATOMIC_RELAXED);
  }
  return before;
}

template <Op op>
constexpr const char* kArgument = op == Op::kFetch ? "source" : "dest";

template <Op op, class T>
void by_network(T* fetched, const T* address, T operand, T cond, int pe, transport::Pending& pending) noexcept {
  node().network->atomic(remote(address, pe), {op, kTypeOf<T>, bits_of(operand), bits_of(cond)}, fetched, pending);
}

/// Returns what was there before.
template <Op op, class T>
T fetching(const T* address, Target target, T operand = {}, T cond = {}) noexcept {
  if (T* at = atomic_at(address, target, kArgument<op>); at != nullptr) [[likely]] {
    return on_processor<op>(at, operand, cond);
  }
  T before{};
  transport::Pending pending;
  by_network<op>(&before, address, operand, cond, target.pe, pending);
  wait_for_network(pending);
  return before;
}

/// *fetched is set at the latest when the target's count says that all is complete.
template <Op op, class T>
void fetching_nbi(T* fetched, const T* address, Target target, T operand = {}, T cond = {}) noexcept {
  need_buffer(fetched, sizeof(T), "fetch");
  if (T* at = atomic_at(address, target, kArgument<op>); at != nullptr) [[likely]] {
    *fetched = on_processor<op>(at, operand, cond);
  } else {
    by_network<op>(fetched, address, operand, cond, target.pe, *target.pending);
  }
}

template <Op op, class T>
void updating(const T* address, Target target, T operand) noexcept {
  if (T* at = atomic_at(address, target, kArgument<op>); at != nullptr) [[likely]] {
    if constexpr (op == Op::kSet) {
      __atomic_store(at, &operand, __ATOMIC_RELAXED);
    } else {
      (void)on_processor<op>(at, operand, T{});
    }
  } else {
    by_network<op>(static_cast<T*>(nullptr), address, operand, T{}, target.pe, *target.pending);
  }
}

}  // namespace weft::rma
