#include "operations.hpp"
#include "types.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace suite {
namespace {

// What the operations mean, written apart from the library: whole numbers in 128 bits.
enum class Op { land, lor, lxor, max, min, sum, prod };

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, double _Complex> || std::is_same_v<T, float _Complex>;

template <class T>
T number(std::uint64_t bits, Op op) {
  if constexpr (kIsComplex<T>) {
    // Products stay exact: i, -i, 1 + i and the like. Sums: small whole numbers.
    const int re = op == Op::prod ? static_cast<int>(bits % 3) - 1 : static_cast<int>(bits % 1000) - 500;
    const int im = op == Op::prod ? (re == 0 ? 1 - 2 * static_cast<int>(bits / 8 % 2) : static_cast<int>(bits / 8 % 2))
                                  : static_cast<int>(bits / 1024 % 1000) - 500;
    T value;
    __real__ value = re;
    __imag__ value = im;
    return value;
  } else if constexpr (std::is_floating_point_v<T>) {
    static const double factors[] = {1, -1, 2, 0.5, -2, -0.5};
    return static_cast<T>(op == Op::prod ? factors[bits % 6] : static_cast<double>(bits % 20000) / 4 - 2500);
  } else {
    // Now and then a number at one of the ends; odd factors, or products would soon be zero.
    static const std::uint64_t ends[] = {0, 1, ~std::uint64_t{0}, std::uint64_t{1} << (8 * sizeof(T) - 1),
                                         (std::uint64_t{1} << (8 * sizeof(T) - 1)) - 1};
    return static_cast<T>(op == Op::prod ? bits | 1 : bits % 4 == 0 ? ends[bits / 4 % 5] : bits);
  }
}

template <class T>
T apply(T a, T b, Op op) {
  if constexpr (std::is_integral_v<T>) {
    const __int128 x = a;
    const __int128 y = b;
    switch (op) {
      case Op::land: return static_cast<T>(x & y);
      case Op::lor: return static_cast<T>(x | y);
      case Op::lxor: return static_cast<T>(x ^ y);
      case Op::max: return x > y ? a : b;
      case Op::min: return x > y ? b : a;
      case Op::sum: return static_cast<T>(x + y);
      case Op::prod: return static_cast<T>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y));
    }
  } else if constexpr (kIsComplex<T>) {
    return op == Op::sum ? a + b : a * b;
  } else {
    switch (op) {
      case Op::max: return a > b ? a : b;
      case Op::min: return a > b ? b : a;
      case Op::sum: return a + b;
      default: return a * b;
    }
  }
  return a;
}

template <class T>
T element_of(std::uint64_t seed, int member, std::size_t i, Op op) {
  return number<T>(mix(seed * 4096 + static_cast<std::uint64_t>(member)) * 2654435761u + mix(i), op);
}

template <class T, Op op>
void fill(void* into, std::uint64_t seed, int member, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(into)[i] = element_of<T>(seed, member, i, op);
}

template <class T, Op op>
void expect(void* into, std::uint64_t seed, int members, std::size_t count) {
  T* const result = static_cast<T*>(into);
  for (std::size_t i = 0; i < count; ++i) {
    // From the last to the first: the result must not depend on it.
    T value = members == 0 ? T() : element_of<T>(seed, members - 1, i, op);
    for (int k = members - 2; k >= 0; --k) value = apply<T>(element_of<T>(seed, k, i, op), value, op);
    result[i] = value;
  }
}

template <class T>
bool equal(const void* a, const void* b, std::size_t count) {
  const T* const x = static_cast<const T*>(a);
  const T* const y = static_cast<const T*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    if (x[i] != y[i]) return false;
  }
  return true;
}

// clang-format off
#define TEAM_REDUCTION(NAME, T, WORD, OP)                                                                            \
  Combiner{"shmem_" #NAME "_" #WORD "_reduce", sizeof(T), fill<T, Op::OP>, expect<T, Op::OP>, equal<T>,              \
           [](const Who& w, void* d, const void* s, std::size_t n, long*) {                                          \
             return shmem_##NAME##_##WORD##_reduce(w.team, static_cast<T*>(d), static_cast<const T*>(s), n); }},
#define ACTIVE_REDUCTION(NAME, T, WORD, OP)                                                                          \
  Combiner{"shmem_" #NAME "_" #WORD "_to_all", sizeof(T), fill<T, Op::OP>, expect<T, Op::OP>, equal<T>,              \
           [](const Who& w, void* d, const void* s, std::size_t n, long* p) {                                        \
             shmem_##NAME##_##WORD##_to_all(static_cast<T*>(d), static_cast<T*>(const_cast<void*>(s)),               \
                                            static_cast<int>(n), w.start, w.log_stride, w.size(),                    \
                                            reinterpret_cast<T*>(p + SHMEM_SYNC_SIZE), p);                           \
             return 0; }},
#define SCAN(NAME, T, WORD)                                                                                          \
  Combiner{"shmem_" #NAME "_sum_" #WORD, sizeof(T), fill<T, Op::sum>, expect<T, Op::sum>, equal<T>,                  \
           [](const Who& w, void* d, const void* s, std::size_t n, long*) {                                          \
             return shmem_##NAME##_sum_##WORD(w.team, static_cast<T*>(d), static_cast<const T*>(s), n); },           \
           Combiner::Kind::WORD},

#define BIT_TYPES(X)                                                                                                 \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) X(ulong, unsigned long)                    \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)             \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t)
#define COMPLEX_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)
#define OLD_BIT_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define OLD_NUMBERS(X) OLD_BIT_TYPES(X) SPEC_FLOATS(X) X(longdouble, long double)

#define TEAM_AND(N, T) TEAM_REDUCTION(N, T, and, land)
#define TEAM_OR(N, T) TEAM_REDUCTION(N, T, or, lor)
#define TEAM_XOR(N, T) TEAM_REDUCTION(N, T, xor, lxor)
#define TEAM_MAX(N, T) TEAM_REDUCTION(N, T, max, max)
#define TEAM_MIN(N, T) TEAM_REDUCTION(N, T, min, min)
#define TEAM_SUM(N, T) TEAM_REDUCTION(N, T, sum, sum)
#define TEAM_PROD(N, T) TEAM_REDUCTION(N, T, prod, prod)
#define ACTIVE_AND(N, T) ACTIVE_REDUCTION(N, T, and, land)
#define ACTIVE_OR(N, T) ACTIVE_REDUCTION(N, T, or, lor)
#define ACTIVE_XOR(N, T) ACTIVE_REDUCTION(N, T, xor, lxor)
#define ACTIVE_MAX(N, T) ACTIVE_REDUCTION(N, T, max, max)
#define ACTIVE_MIN(N, T) ACTIVE_REDUCTION(N, T, min, min)
#define ACTIVE_SUM(N, T) ACTIVE_REDUCTION(N, T, sum, sum)
#define ACTIVE_PROD(N, T) ACTIVE_REDUCTION(N, T, prod, prod)
#define INSCAN(N, T) SCAN(N, T, inscan)
#define EXSCAN(N, T) SCAN(N, T, exscan)
// clang-format on

// Sums in which rounding shows.
template <class T>
void fill_rough(void* into, std::uint64_t seed, int member, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = mix(seed * 4096 + static_cast<std::uint64_t>(member) * 131 + i * 7919);
    static_cast<T*>(into)[i] =
        static_cast<T>(std::ldexp(static_cast<double>(bits >> 12) + 1.0 / 3.0, -50 + static_cast<int>(bits % 24)));
  }
}

template <class T>
void expect_rough(void* into, std::uint64_t seed, int members, std::size_t count) {
  T* const result = static_cast<T*>(into);
  std::vector<T> part(count);
  fill_rough<T>(into, seed, 0, count);
  for (int k = 1; k < members; ++k) {
    fill_rough<T>(part.data(), seed, k, count);
    for (std::size_t i = 0; i < count; ++i) result[i] += part[i];
  }
}

// All terms are positive, so no order is off by more than a few units in the last place each.
template <class T>
bool near(const void* a, const void* b, std::size_t count) {
  const T* const x = static_cast<const T*>(a);
  const T* const y = static_cast<const T*>(b);
  const T most = 64 * std::numeric_limits<T>::epsilon();
  for (std::size_t i = 0; i < count; ++i) {
    if (!(std::fabs(x[i] - y[i]) <= most * y[i])) return false;
  }
  return true;
}

#define ROUNDING(NAME, T)                                                                                     \
  Rounding {                                                                                                  \
    "rough shmem_" #NAME "_sum_reduce",                                                                       \
        Combiner{"",                                                                                          \
                 sizeof(T),                                                                                   \
                 fill_rough<T>,                                                                               \
                 expect_rough<T>,                                                                             \
                 near<T>,                                                                                     \
                 [](const Who& w, void* d, const void* s, std::size_t n, long*) {                             \
                   return shmem_##NAME##_sum_reduce(w.team, static_cast<T*>(d), static_cast<const T*>(s), n); \
                 }},                                                                                          \
        equal<T>                                                                                              \
  }

}  // namespace

const std::vector<Combiner>& team_reductions() {
  static const std::vector<Combiner> all = {
      BIT_TYPES(TEAM_AND) BIT_TYPES(TEAM_OR) BIT_TYPES(TEAM_XOR) SPEC_RMA_TYPES(TEAM_MAX) SPEC_RMA_TYPES(TEAM_MIN)
          SPEC_RMA_TYPES(TEAM_SUM) COMPLEX_TYPES(TEAM_SUM) SPEC_RMA_TYPES(TEAM_PROD) COMPLEX_TYPES(TEAM_PROD)};
  return all;
}

const std::vector<Combiner>& active_reductions() {
  static const std::vector<Combiner> all = {OLD_BIT_TYPES(ACTIVE_AND) OLD_BIT_TYPES(ACTIVE_OR) OLD_BIT_TYPES(ACTIVE_XOR)
                                                OLD_NUMBERS(ACTIVE_MAX) OLD_NUMBERS(ACTIVE_MIN) OLD_NUMBERS(ACTIVE_SUM)
                                                    COMPLEX_TYPES(ACTIVE_SUM) OLD_NUMBERS(ACTIVE_PROD)
                                                        COMPLEX_TYPES(ACTIVE_PROD)};
  return all;
}

const std::vector<Combiner>& scans() {
  static const std::vector<Combiner> all = {SPEC_RMA_TYPES(INSCAN) COMPLEX_TYPES(INSCAN) SPEC_RMA_TYPES(EXSCAN)
                                                COMPLEX_TYPES(EXSCAN)};
  return all;
}

const std::vector<Rounding>& rounding_sums() {
  static const std::vector<Rounding> all = {ROUNDING(float, float), ROUNDING(double, double),
                                            ROUNDING(longdouble, long double)};
  return all;
}

Step combine_step(const Who& who, const Combiner& combiner, std::size_t count, bool in_place, std::uint64_t seed) {
  Step step;
  step.what = combiner.name + " x " + std::to_string(count) + (in_place ? " in place" : "") + " over " + who.name;
  step.element = combiner.element;
  step.dest_bytes = step.source_bytes = count * combiner.element;
  step.in_place = in_place;
  const int members = combiner.kind == Combiner::Kind::reduce   ? who.size()
                      : combiner.kind == Combiner::Kind::inscan ? who.me + 1
                                                                : who.me;
  step.fill = [&combiner, seed, count, me = who.me](void* source) { combiner.fill(source, seed, me, count); };
  step.expect = [&combiner, seed, count, members](void* dest) { combiner.expect(dest, seed, members, count); };
  step.equal = [&combiner, count](const void* a, const void* b) { return combiner.equal(a, b, count); };
  step.call = [&who, &combiner, count](void* dest, const void* source, long* psync) {
    return combiner.call(who, dest, source, count, psync);
  };
  return step;
}

Step rounding_step(const Who& who, const Rounding& rounding, std::size_t count, bool in_place, std::uint64_t seed) {
  Step step = combine_step(who, rounding.combiner, count, in_place, seed);
  step.what = rounding.name + " x " + std::to_string(count) + (in_place ? " in place" : "") + " over " + who.name;
  step.same = [&rounding, count](const void* a, const void* b) { return rounding.same(a, b, count); };
  return step;
}

}  // namespace suite
