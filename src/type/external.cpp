#include "type/external.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "type/elements.hpp"
#include "type/walk.hpp"

namespace weft::type {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are swapped below");

// Whether a C long double is that of the x87, which no other machine has. Elsewhere 16 bytes are IEEE's.
constexpr bool kShortLong = std::numeric_limits<long double>::digits == 64;

void swap(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  std::reverse_copy(from, from + bytes, to);
}

/// What is behind the last byte of a number that becomes longer.
std::byte filling(Kind kind, const std::byte* number, std::size_t bytes) noexcept {
  const bool negative = kind == Kind::kSigned && (number[bytes - 1] & std::byte{0x80}) != std::byte{0};
  return negative ? std::byte{0xff} : std::byte{0};
}

/// A number of `from_bytes` becomes one of `to_bytes`, both as this machine has them.
void resize(Kind kind, std::byte* to, std::size_t to_bytes, const std::byte* from, std::size_t from_bytes) noexcept {
  const std::size_t both = std::min(to_bytes, from_bytes);
  std::memcpy(to, from, both);
  std::fill(to + both, to + to_bytes, both < to_bytes ? filling(kind, from, from_bytes) : std::byte{0});
}

// A fraction of 64 bits, of which the first is a one that IEEE's form does not write, becomes one of 112.
void quad_of_long_double(std::byte* to, const std::byte* from) noexcept {
  std::uint64_t fraction = 0;
  std::uint16_t sign_and_exponent = 0;
  std::memcpy(&fraction, from, sizeof fraction);
  std::memcpy(&sign_and_exponent, from + sizeof fraction, sizeof sign_and_exponent);
  const std::uint64_t high = (fraction << 1) >> 16 | std::uint64_t{sign_and_exponent} << 48;
  const std::uint64_t low = fraction << 49;
  std::memcpy(to, &low, sizeof low);
  std::memcpy(to + sizeof low, &high, sizeof high);
}

void long_double_of_quad(std::byte* to, const std::byte* from) noexcept {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, from, sizeof low);
  std::memcpy(&high, from + sizeof low, sizeof high);
  const auto sign_and_exponent = static_cast<std::uint16_t>(high >> 48);
  const bool normal = (sign_and_exponent & 0x7fff) != 0;  // infinity and what is not a number have the one as well
  const std::uint64_t fraction = (high << 16) >> 1 | low >> 49 | (normal ? std::uint64_t{1} << 63 : std::uint64_t{0});
  std::memset(to, 0, 16);
  std::memcpy(to, &fraction, sizeof fraction);
  std::memcpy(to + sizeof fraction, &sign_and_exponent, sizeof sign_and_exponent);
}

/// One number, not a complex one.
void write_number(const Basic& basic, std::byte* to, std::size_t to_bytes, const std::byte* from,
                  std::size_t from_bytes) noexcept {
  std::byte number[16];
  if (basic.kind == Kind::kReal && kShortLong && from_bytes == 16 && !basic.quad) {
    quad_of_long_double(number, from);
  } else if (basic.kind == Kind::kLogical) {
    const bool any = std::any_of(from, from + from_bytes, [](std::byte b) noexcept { return b != std::byte{0}; });
    std::memset(number, 0, sizeof number);
    number[0] = std::byte{any};
  } else {
    resize(basic.kind, number, to_bytes, from, from_bytes);
  }
  swap(to, number, to_bytes);
}

void read_number(const Basic& basic, std::byte* to, std::size_t to_bytes, const std::byte* from,
                 std::size_t from_bytes) noexcept {
  std::byte number[16];
  swap(number, from, from_bytes);
  if (basic.kind == Kind::kReal && kShortLong && to_bytes == 16 && !basic.quad) {
    long_double_of_quad(to, number);
  } else {
    resize(basic.kind, to, to_bytes, number, from_bytes);
  }
}

class Writer : public Visitor {
 public:
  explicit Writer(void* into) noexcept : into_(static_cast<std::byte*>(into)) {}

  bool visit(const Basic& basic, std::uintptr_t at, std::int64_t count, std::int64_t stride) noexcept override {
    for (std::int64_t k = 0; k < count; ++k, into_ += basic.external) {
      write(basic, pointer(moved(at, k * stride)));
    }
    return true;
  }

 private:
  void write(const Basic& basic, const std::byte* from) noexcept {
    if (basic.kind == Kind::kBytes) {
      std::memcpy(into_, from, basic.size);
    } else if (basic.kind == Kind::kComplex) {
      const std::size_t to_bytes = basic.external / 2U;
      const std::size_t from_bytes = basic.size / 2U;
      Basic part = basic;
      part.kind = Kind::kReal;
      write_number(part, into_, to_bytes, from, from_bytes);
      write_number(part, into_ + to_bytes, to_bytes, from + from_bytes, from_bytes);
    } else {
      write_number(basic, into_, basic.external, from, basic.size);
    }
  }

  std::byte* into_;
};

class Reader : public Visitor {
 public:
  explicit Reader(const void* from) noexcept : from_(static_cast<const std::byte*>(from)) {}

  bool visit(const Basic& basic, std::uintptr_t at, std::int64_t count, std::int64_t stride) noexcept override {
    for (std::int64_t k = 0; k < count; ++k, from_ += basic.external) {
      read(basic, pointer(moved(at, k * stride)));
    }
    return true;
  }

 private:
  void read(const Basic& basic, std::byte* to) noexcept {
    if (basic.kind == Kind::kBytes) {
      std::memcpy(to, from_, basic.size);
    } else if (basic.kind == Kind::kComplex) {
      const std::size_t from_bytes = basic.external / 2U;
      const std::size_t to_bytes = basic.size / 2U;
      Basic part = basic;
      part.kind = Kind::kReal;
      read_number(part, to, to_bytes, from_, from_bytes);
      read_number(part, to + to_bytes, to_bytes, from_ + from_bytes, from_bytes);
    } else {
      read_number(basic, to, basic.size, from_, basic.external);
    }
  }

  const std::byte* from_;
};

}  // namespace

void pack_external(const Datatype& type, std::int64_t count, const void* buffer, void* into) noexcept {
  Writer writer(into);
  (void)visit_elements(type, count, reinterpret_cast<std::uintptr_t>(buffer), &writer);
}

void unpack_external(const Datatype& type, std::int64_t count, void* buffer, const void* from) noexcept {
  Reader reader(from);
  (void)visit_elements(type, count, reinterpret_cast<std::uintptr_t>(buffer), &reader);
}

}  // namespace weft::type
