// Values of every type that the C++ interface is tried with, and the three ways to name a context.
#ifndef WEFT_TESTS_SPEC_CXX_ELEMENTS_HPP
#define WEFT_TESTS_SPEC_CXX_ELEMENTS_HPP

#include "../check.h"

#include <complex>
#include <cstring>
#include <memory>
#include <type_traits>
#include <weft/shmem.hpp>

namespace cxx {

enum class Color : unsigned short { red, green };
struct Odd {  // 3 words of 2 bytes
  short a, b, c;
};
struct Bytes {
  char c[5];
};
struct Pair {
  double x;
  long i;
};
struct alignas(32) Wide {
  long v[8];
};
struct NoDefault {
  explicit NoDefault(int v) : value(v) {}
  int value;
};

template <class T>
inline constexpr bool is_complex = shmem::detail::one_of<T, std::complex<float>, std::complex<double>>;

template <class... T>
struct List {};
using Table =
    List<float, double, long double, char, signed char, short, int, long, long long, unsigned char, unsigned short,
         unsigned, unsigned long, unsigned long long, std::int8_t, std::uint64_t, std::size_t, std::ptrdiff_t>;
using Others =
    List<std::complex<float>, std::complex<double>, std::byte, wchar_t, char16_t, Color, Odd, Bytes, Pair, Wide>;
using Amo = List<int, long, long long, unsigned, unsigned long, unsigned long long>;
using Bits = List<unsigned, unsigned long, unsigned long long, std::int32_t, std::int64_t>;

template <class... T, class F>
void for_each_type(List<T...>, F f) {
  (f(T{}), ...);
}

/// Element `i` of PE `pe`: no two are equal.
template <class T>
T value(int pe, std::size_t i) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(pe * 17 + static_cast<int>(i) + 1);
  } else {
    unsigned char bytes[sizeof(T)];
    for (std::size_t at = 0; at < sizeof(T); ++at) bytes[at] = check_byte(pe, i * 31 + at);
    T made{};
    std::memcpy(static_cast<void*>(&made), bytes, sizeof made);
    return made;
  }
}

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_arithmetic_v<T>) {
    return a == b;
  } else {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
}

/// Calls `f` without a context, with the default context's handle and with a context of its own.
template <class F>
void for_each_context(F f) {
  f();
  f(SHMEM_CTX_DEFAULT);
  const shmem::context own;
  REQUIRE(static_cast<bool>(own), "a context");
  f(own);
}

}  // namespace cxx

#endif
