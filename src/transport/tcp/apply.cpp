#include "transport/tcp/apply.hpp"

#include <bit>
#include <cstring>

namespace weft::transport::tcp {
namespace {

// Sequentially consistent, as the specification wants of atomic operations what a program's processors give: an
// operation from elsewhere is not weaker than one from this node.
constexpr int kOrder = __ATOMIC_SEQ_CST;

template <class Bits>
std::uint64_t apply_to(const Atomic& what, Bits* at) noexcept {
  const auto operand = static_cast<Bits>(what.operand);
  switch (what.op) {
    case Op::kFetch: return __atomic_load_n(at, kOrder);
    case Op::kSet:
    case Op::kSwap: return __atomic_exchange_n(at, operand, kOrder);
    case Op::kCompareSwap: {
      auto expected = static_cast<Bits>(what.compare);
      (void)__atomic_compare_exchange_n(at, &expected, operand, false, kOrder, kOrder);
      return expected;
    }
    case Op::kAdd: return __atomic_fetch_add(at, operand, kOrder);
    case Op::kAnd: return __atomic_fetch_and(at, operand, kOrder);
    case Op::kOr: return __atomic_fetch_or(at, operand, kOrder);
    case Op::kXor: return __atomic_fetch_xor(at, operand, kOrder);
  }
  return 0;
}

// The bits are those of a number with a point, which matters to sums only.
template <class Number, class Bits>
std::uint64_t add_to(const Atomic& what, Bits* at) noexcept {
  if (what.op != Op::kAdd) {
    return apply_to(what, at);
  }
  const auto operand = std::bit_cast<Number>(static_cast<Bits>(what.operand));
  Bits before = __atomic_load_n(at, __ATOMIC_RELAXED);  // the exchange below is what counts
  while (!__atomic_compare_exchange_n(at, &before, std::bit_cast<Bits>(std::bit_cast<Number>(before) + operand), true,
                                      kOrder, __ATOMIC_RELAXED)) {
  }
  return before;
}

template <class Bits>
bool is_aligned(const void* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % sizeof(Bits) == 0;
}

template <class Bits>
void store_as(void* at, const void* from) noexcept {
  Bits value;
  std::memcpy(&value, from, sizeof value);
  // Release: who sees the value, sees what other operations of this connection have stored before.
  __atomic_store_n(static_cast<Bits*>(at), value, __ATOMIC_RELEASE);
}

template <class Bits>
std::uint64_t load_as(const void* at) noexcept {
  // Acquire: the answer does not overtake what whoever stored the value had stored before.
  return __atomic_load_n(static_cast<const Bits*>(at), __ATOMIC_ACQUIRE);
}

}  // namespace

std::uint64_t apply(const Atomic& what, void* at) noexcept {
  switch (what.type) {
    case Type::k8: return apply_to(what, static_cast<std::uint8_t*>(at));
    case Type::k16: return apply_to(what, static_cast<std::uint16_t*>(at));
    case Type::k32: return apply_to(what, static_cast<std::uint32_t*>(at));
    case Type::k64: return apply_to(what, static_cast<std::uint64_t*>(at));
    case Type::kFloat: return add_to<float>(what, static_cast<std::uint32_t*>(at));
    case Type::kDouble: return add_to<double>(what, static_cast<std::uint64_t*>(at));
  }
  return 0;
}

void store_word(void* at, const void* from, std::size_t bytes) noexcept {
  if (bytes == 8 && is_aligned<std::uint64_t>(at)) {
    store_as<std::uint64_t>(at, from);
  } else if (bytes == 4 && is_aligned<std::uint32_t>(at)) {
    store_as<std::uint32_t>(at, from);
  } else if (bytes == 2 && is_aligned<std::uint16_t>(at)) {
    store_as<std::uint16_t>(at, from);
  } else {
    std::memcpy(at, from, bytes);
  }
}

std::uint64_t load_word(const void* at, std::size_t bytes) noexcept {
  std::uint64_t value = 0;
  if (bytes == 8 && is_aligned<std::uint64_t>(at)) {
    value = load_as<std::uint64_t>(at);
  } else if (bytes == 4 && is_aligned<std::uint32_t>(at)) {
    value = load_as<std::uint32_t>(at);
  } else if (bytes == 2 && is_aligned<std::uint16_t>(at)) {
    value = load_as<std::uint16_t>(at);
  } else {
    std::memcpy(&value, at, bytes);
  }
  return value;
}

}  // namespace weft::transport::tcp
