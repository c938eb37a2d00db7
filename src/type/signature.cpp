#include "type/signature.hpp"

namespace weft::type {
namespace {

// A polynomial over the elements' numbers modulo a prime: the hash of a row follows from those of its parts, so a row
// of a thousand million elements costs as many steps as its constructors have.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 1'000'003'007'019;

__extension__ using Product = unsigned __int128;

std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  const auto product = static_cast<Product>(a) * b;
  const auto folded = (static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61);
  return folded >= kPrime ? folded - kPrime : folded;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

}  // namespace

Signature Signature::of(const Basic& basic) noexcept {
  return {std::uint64_t{basic.id} + 1, 1, basic.kind == Kind::kBytes};
}

Signature Signature::then(const Signature& other) const noexcept {
  const std::uint64_t shift = power(kBase, static_cast<std::uint64_t>(other.elements));
  return {plus(times(hash, shift), other.hash), elements + other.elements, any || other.any};
}

Signature Signature::repeated(std::int64_t times) const noexcept {
  Signature result;
  Signature doubled = *this;
  for (; times > 0; times >>= 1) {
    if ((times & 1) != 0) result = result.then(doubled);
    if (times > 1) doubled = doubled.then(doubled);
  }
  return result;
}

std::uint32_t Signature::brief() const noexcept {
  if (any) return 0;
  const std::uint64_t mixed = hash ^ static_cast<std::uint64_t>(elements) * 0x9e3779b97f4a7c15;
  const auto short_one = static_cast<std::uint32_t>((mixed ^ mixed >> 24 ^ mixed >> 48) & 0xffffff);
  return short_one == 0 ? 1 : short_one;
}

}  // namespace weft::type
