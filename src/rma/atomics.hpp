// Atomic memory operations: on the node by this processor, elsewhere by the network.
//
// All PEs of a node use the same instructions on the same word, so they are mutually atomic, and atomic with the waits
// of sync. PEs of other nodes reach the word through the network; where its operations are not atomic against those of
// the processor (transport/transport.hpp, amo_cpu_coherent), all go through the network: WORLD is one atomicity domain.
// A domain of one node's PEs alone may always use the processor.
// Relaxed order: these operations have none, fence and quiet supply it.
#pragma once

#include <cstdint>
#include <cstring>

#include "rma/target.hpp"

namespace weft::rma {

using transport::Op;

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

template <Op op, class T>
void update_on_processor(T* at, T operand) noexcept {
  if constexpr (op == Op::kSet) {
    __atomic_store(at, &operand, __ATOMIC_RELAXED);
  } else {
    (void)on_processor<op>(at, operand, T{});
  }
}

/// *fetched, where it is not null, is set at the latest when `pending` says that all is complete.
template <Op op, class T>
void by_network(T* fetched, const transport::Remote& at, T operand, T cond, transport::Pending& pending) noexcept {
  job::node().network->atomic(at, {op, kTypeOf<T>, bits_of(operand), bits_of(cond)}, fetched, pending);
}

/// Returns what was there before.
template <Op op, class T>
T fetch_by_network(const transport::Remote& at, T operand = {}, T cond = {}) noexcept {
  T before{};
  transport::Pending pending;
  by_network<op>(&before, at, operand, cond, pending);
  wait_for_network(pending);
  return before;
}

}  // namespace weft::rma
