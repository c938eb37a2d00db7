// __kmpc_atomic_*: what compilers call that have no instruction for an atomic operation, or, as those of Intel did, for
// each. Small operands take instructions where processes have one memory; all else is done one after the other.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "omp/image/image.hpp"
#include "omp/llvm/kmp.hpp"
#include "omp/sync/locks.hpp"

namespace weft::omp::llvm {
namespace {

__extension__ using Complex4 = __complex__ float;
__extension__ using Complex8 = __complex__ double;
__extension__ using Complex10 = __complex__ long double;
using Float10 = long double;

Mutex g_operands;

class OneByOne {
 public:
  explicit OneByOne(const void* site) noexcept { lock(g_operands, ThreadWaits::kAtomic, site); }
  ~OneByOne() { unlock(g_operands); }
  OneByOne(const OneByOne&) = delete;
  OneByOne& operator=(const OneByOne&) = delete;
};

template <std::size_t bytes>
using Word = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Where a word's bytes are at home elsewhere, an instruction of this library would change a copy.
template <class T>
bool takes_instructions() noexcept {
  return sizeof(T) <= sizeof(std::uint64_t) && image::far() == nullptr;
}

template <class T>
struct Change {
  T before, after;
};

/// What the function makes of what is there.
template <class T, class Function>
Change<T> change(T* operand, const void* site, Function&& function) noexcept {
  if (!takes_instructions<T>()) {
    const OneByOne guard(site);
    const T before = *operand;
    const T after = function(before);
    *operand = after;
    return {before, after};
  }
  using W = Word<sizeof(T)>;
  auto* const word = reinterpret_cast<W*>(operand);
  // Sequentially consistent, as the standard's atomic construct may be, and the call does not say which it is.
  W is = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  for (;;) {
    Change<T> made{};
    std::memcpy(&made.before, &is, sizeof is);
    made.after = function(made.before);
    W to = 0;
    std::memcpy(&to, &made.after, sizeof to);
    if (__atomic_compare_exchange_n(word, &is, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      return made;
    }
  }
}

template <class T>
T read(const T* operand, const void* site) noexcept {
  if (!takes_instructions<T>()) {
    const OneByOne guard(site);
    return *operand;
  }
  using W = Word<sizeof(T)>;
  const W is = __atomic_load_n(reinterpret_cast<const W*>(operand), __ATOMIC_SEQ_CST);
  T value{};
  std::memcpy(&value, &is, sizeof is);
  return value;
}

/// By a function of the compiler's, which writes the first from the others.
using Combine = void(void* into, void* left, void* right);
template <class W>
void combine(void* operand, void* value, Combine* function, const void* site) noexcept {
  (void)change(static_cast<W*>(operand), site, [&](W before) {
    W after = 0;
    function(&after, &before, value);
    return after;
  });
}
void combine_one_by_one(void* operand, void* value, Combine* function, const void* site) noexcept {
  const OneByOne guard(site);
  function(operand, operand, value);
}

/// Compare and swap: what was there.
template <class T>
T swap_if(T* operand, T expected, T by, const void* site) noexcept {
  return change(operand, site, [&](T is) { return is == expected ? by : is; }).before;
}

// The lowest bits are the same with and without a sign, and nothing overflows without one.
constexpr std::uint64_t wide(std::int64_t value) noexcept { return static_cast<std::uint64_t>(value); }

}  // namespace
}  // namespace weft::omp::llvm

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): compilers call them so; T is a type.
extern "C" {
using weft::omp::llvm::Complex10;
using weft::omp::llvm::Complex4;
using weft::omp::llvm::Complex8;
using weft::omp::llvm::Float10;
using weft::omp::llvm::Place;
using weft::omp::llvm::wide;

// a is what is there, b what the program gives.
#define MADE(T, expression) \
  weft::omp::llvm::change(x, WEFT_SITE, [b](T a) noexcept { return static_cast<T>(expression); })
#define PLAIN(name, T, B, expression) \
  void __kmpc_atomic_##name(Place*, int32_t, T* x, B b) { (void)MADE(T, expression); }
#define CAPTURE(name, T, expression)                                  \
  T __kmpc_atomic_##name(Place*, int32_t, T* x, T b, int32_t later) { \
    const auto made = MADE(T, expression);                            \
    return later != 0 ? made.after : made.before;                     \
  }
#define BOTH(name, T, expression) PLAIN(name, T, T, expression) CAPTURE(name##_cpt, T, expression)
#define BOTH_WAYS(name, T, expression, reversed) \
  BOTH(name, T, expression) PLAIN(name##_rev, T, T, reversed) CAPTURE(name##_cpt_rev, T, reversed)
#define READ_AND_WRITE(type, T)                                                                      \
  T __kmpc_atomic_##type##_rd(Place*, int32_t, T* x) { return weft::omp::llvm::read(x, WEFT_SITE); } \
  PLAIN(type##_wr, T, T, ((void)a, b))

#define INTEGERS(type, T)                                         \
  BOTH(type##_add, T, wide(a) + wide(b))                          \
  BOTH_WAYS(type##_sub, T, wide(a) - wide(b), wide(b) - wide(a))  \
  BOTH(type##_mul, T, wide(a) * wide(b))                          \
  BOTH_WAYS(type##_div, T, a / b, b / a)                          \
  BOTH(type##_andb, T, a& b)                                      \
  BOTH(type##_orb, T, a | b)                                      \
  BOTH(type##_xor, T, a ^ b)                                      \
  BOTH(type##_eqv, T, a ^ ~b)                                     \
  BOTH(type##_neqv, T, a ^ b)                                     \
  BOTH_WAYS(type##_shl, T, wide(a) << b, wide(b) << a)            \
  BOTH_WAYS(type##_shr, T, a >> b, b >> a)                        \
  BOTH(type##_andl, T, a != 0 && b != 0)                          \
  BOTH(type##_orl, T, a != 0 || b != 0)                           \
  BOTH(type##_max, T, a < b ? b : a)                              \
  BOTH(type##_min, T, b < a ? b : a)                              \
  BOTH_WAYS(type##u_div, u##T, a / b, b / a)                      \
  BOTH_WAYS(type##u_shr, u##T, a >> b, b >> a)                    \
  PLAIN(type##_mul_float8, T, double, static_cast<double>(a) * b) \
  PLAIN(type##_div_float8, T, double, static_cast<double>(a) / b) \
  READ_AND_WRITE(type, T)                                         \
  T __kmpc_atomic_##type##_swp(Place*, int32_t, T* x, T b) { return MADE(T, ((void)a, b)).before; }
INTEGERS(fixed1, int8_t)
INTEGERS(fixed2, int16_t)
INTEGERS(fixed4, int32_t)
INTEGERS(fixed8, int64_t)

#define FLOATS(type, T)                  \
  BOTH(type##_add, T, a + b)             \
  BOTH_WAYS(type##_sub, T, a - b, b - a) \
  BOTH(type##_mul, T, a* b)              \
  BOTH_WAYS(type##_div, T, a / b, b / a) \
  BOTH(type##_max, T, a < b ? b : a)     \
  BOTH(type##_min, T, b < a ? b : a)     \
  READ_AND_WRITE(type, T)                \
  T __kmpc_atomic_##type##_swp(Place*, int32_t, T* x, T b) { return MADE(T, ((void)a, b)).before; }
FLOATS(float4, float)
FLOATS(float8, double)
FLOATS(float10, Float10)
PLAIN(float4_add_float8, float, double, static_cast<double>(a) + b)
PLAIN(float4_sub_float8, float, double, static_cast<double>(a) - b)
PLAIN(float4_mul_float8, float, double, static_cast<double>(a) * b)
PLAIN(float4_div_float8, float, double, static_cast<double>(a) / b)

#define COMPLEX(type, T)                 \
  BOTH(type##_add, T, a + b)             \
  BOTH_WAYS(type##_sub, T, a - b, b - a) \
  BOTH(type##_mul, T, a* b)              \
  BOTH_WAYS(type##_div, T, a / b, b / a) \
  READ_AND_WRITE(type, T)                \
  T __kmpc_atomic_##type##_swp(Place*, int32_t, T* x, T b) { return MADE(T, ((void)a, b)).before; }
COMPLEX(cmplx8, Complex8)
COMPLEX(cmplx10, Complex10)

// Of this type what is captured goes through a pointer, for compilers that disagree about how it is returned.
#define SMALL(name, expression)                        \
  PLAIN(cmplx4_##name, Complex4, Complex4, expression) \
  SMALL_CAPTURE(name##_cpt, expression)
#define SMALL_CAPTURE(name, expression)                                                                      \
  void __kmpc_atomic_cmplx4_##name(Place*, int32_t, Complex4* x, Complex4 b, Complex4* out, int32_t later) { \
    const auto made = MADE(Complex4, expression);                                                            \
    *out = later != 0 ? made.after : made.before;                                                            \
  }
SMALL(add, a + b)
SMALL(sub, a - b)
SMALL(mul, a* b)
SMALL(div, a / b)
PLAIN(cmplx4_sub_rev, Complex4, Complex4, b - a)
PLAIN(cmplx4_div_rev, Complex4, Complex4, b / a)
SMALL_CAPTURE(sub_cpt_rev, b - a)
SMALL_CAPTURE(div_cpt_rev, b / a)
PLAIN(cmplx4_add_cmplx8, Complex4, Complex8, static_cast<Complex8>(a) + b)
PLAIN(cmplx4_sub_cmplx8, Complex4, Complex8, static_cast<Complex8>(a) - b)
PLAIN(cmplx4_mul_cmplx8, Complex4, Complex8, static_cast<Complex8>(a) * b)
PLAIN(cmplx4_div_cmplx8, Complex4, Complex8, static_cast<Complex8>(a) / b)
READ_AND_WRITE(cmplx4, Complex4)
void __kmpc_atomic_cmplx4_swp(Place*, int32_t, Complex4* x, Complex4 b, Complex4* out) {
  *out = MADE(Complex4, ((void)a, b)).before;
}

#define BY_FUNCTION(bytes, how)                                                                       \
  void __kmpc_atomic_##bytes(Place*, int32_t, void* x, void* b, weft::omp::llvm::Combine* function) { \
    weft::omp::llvm::how(x, b, function, WEFT_SITE);                                                  \
  }
BY_FUNCTION(1, combine<uint8_t>)
BY_FUNCTION(2, combine<uint16_t>)
BY_FUNCTION(4, combine<uint32_t>)
BY_FUNCTION(8, combine<uint64_t>)
BY_FUNCTION(10, combine_one_by_one)
BY_FUNCTION(16, combine_one_by_one)
BY_FUNCTION(20, combine_one_by_one)
BY_FUNCTION(32, combine_one_by_one)
void __kmpc_atomic_start(void) {
  weft::omp::lock(weft::omp::llvm::g_operands, weft::omp::ThreadWaits::kAtomic, WEFT_SITE);
}
void __kmpc_atomic_end(void) { weft::omp::unlock(weft::omp::llvm::g_operands); }

// `compare`: whether it was as expected, or what it was; and what it was, or is then, through a pointer.
#define COMPARED(bytes, T)                                                                     \
  bool __kmpc_atomic_bool_##bytes##_cas(Place*, int32_t, T* x, T expected, T by) {             \
    return weft::omp::llvm::swap_if(x, expected, by, WEFT_SITE) == expected;                   \
  }                                                                                            \
  T __kmpc_atomic_val_##bytes##_cas(Place*, int32_t, T* x, T expected, T by) {                 \
    return weft::omp::llvm::swap_if(x, expected, by, WEFT_SITE);                               \
  }                                                                                            \
  bool __kmpc_atomic_bool_##bytes##_cas_cpt(Place*, int32_t, T* x, T expected, T by, T* out) { \
    const T was = weft::omp::llvm::swap_if(x, expected, by, WEFT_SITE);                        \
    *out = was == expected ? *out : was;                                                       \
    return was == expected;                                                                    \
  }                                                                                            \
  T __kmpc_atomic_val_##bytes##_cas_cpt(Place*, int32_t, T* x, T expected, T by, T* out) {     \
    const T was = weft::omp::llvm::swap_if(x, expected, by, WEFT_SITE);                        \
    *out = was == expected ? by : was;                                                         \
    return was;                                                                                \
  }
COMPARED(1, int8_t)
COMPARED(2, int16_t)
COMPARED(4, int32_t)
COMPARED(8, int64_t)

}  // extern "C"
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
#pragma GCC visibility pop
