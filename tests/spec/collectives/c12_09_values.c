/* Point 12.9: reductions by values a reader can check, above all unsigned types with the high bit set, which many
 * libraries compare as signed. PE 0 has `a`, all others have `b`. Every type and routine: conformance.coll.reduce. */
#include "check.h"

#include <limits.h>

/* clang-format off */
#define REDUCE(T, NAME, OP, A, B, EXPECTED)                                                                 \
  do {                                                                                                      \
    static T source, dest;                                                                                  \
    source = check_me == 0 ? (A) : (B);                                                                     \
    shmem_barrier_all();                                                                                    \
    CHECK_EQ(shmem_##NAME##_##OP##_reduce(SHMEM_TEAM_WORLD, &dest, &source, 1), 0, #NAME " " #OP);          \
    const T expected = check_n == 1 ? (A) : (T)(EXPECTED);                                                  \
    CHECK(dest == expected, #NAME " " #OP " of " #A " and " #B ": got %.20Lg", (long double)dest);          \
  } while (0)
/* clang-format on */

#define UNSIGNED(T, NAME, MOST)                                 \
  do {                                                          \
    REDUCE(T, NAME, max, 1, MOST, MOST);                        \
    REDUCE(T, NAME, min, 1, MOST, 1);                           \
    REDUCE(T, NAME, max, MOST / 2, MOST / 2 + 1, MOST / 2 + 1); \
    REDUCE(T, NAME, min, MOST / 2, MOST / 2 + 1, MOST / 2);     \
    REDUCE(T, NAME, sum, MOST, 1, (T)MOST + (T)(check_n - 1));  \
  } while (0)

#define SIGNED(T, NAME, LEAST, MOST)          \
  do {                                        \
    REDUCE(T, NAME, max, -1, 1, 1);           \
    REDUCE(T, NAME, min, -1, 1, -1);          \
    REDUCE(T, NAME, max, LEAST, MOST, MOST);  \
    REDUCE(T, NAME, min, LEAST, MOST, LEAST); \
    REDUCE(T, NAME, prod, -3, 1, -3);         \
  } while (0)

int main(void) {
  check_begin();
  UNSIGNED(unsigned char, uchar, UCHAR_MAX);
  UNSIGNED(unsigned short, ushort, USHRT_MAX);
  UNSIGNED(unsigned int, uint, UINT_MAX);
  UNSIGNED(unsigned long, ulong, ULONG_MAX);
  UNSIGNED(unsigned long long, ulonglong, ULLONG_MAX);
  UNSIGNED(uint8_t, uint8, UINT8_MAX);
  UNSIGNED(uint16_t, uint16, UINT16_MAX);
  UNSIGNED(uint32_t, uint32, UINT32_MAX);
  UNSIGNED(uint64_t, uint64, UINT64_MAX);
  UNSIGNED(size_t, size, SIZE_MAX);
  SIGNED(signed char, schar, SCHAR_MIN, SCHAR_MAX);
  SIGNED(short, short, SHRT_MIN, SHRT_MAX);
  SIGNED(int, int, INT_MIN, INT_MAX);
  SIGNED(long, long, LONG_MIN, LONG_MAX);
  SIGNED(long long, longlong, LLONG_MIN, LLONG_MAX);
  SIGNED(ptrdiff_t, ptrdiff, PTRDIFF_MIN, PTRDIFF_MAX);
  SIGNED(int8_t, int8, INT8_MIN, INT8_MAX);
  SIGNED(int64_t, int64, INT64_MIN, INT64_MAX);
  SIGNED(float, float, -3.5f, 1e30f);
  SIGNED(double, double, -1e300, 0.25);
  SIGNED(long double, longdouble, -1e4000L, 1e4000L);
  REDUCE(unsigned int, uint, and, 0xFFFF0000u, 0x00FFFF00u, 0x00FF0000u);
  REDUCE(unsigned int, uint, or, 0xF0000000u, 0x0Fu, 0xF000000Fu);
  REDUCE(uint64_t, uint64, xor, 1, 0x8000000000000000u, check_n % 2 == 0 ? 0x8000000000000001u : 1u);
  /* Sums and products of numbers that are small in memory wrap there, not as int. */
  REDUCE(unsigned short, ushort, prod, 65535, 65535, check_n % 2 == 0 ? 1 : 65535);
  REDUCE(short, short, sum, SHRT_MAX, 1, (short)(unsigned short)(SHRT_MAX + check_n - 1));
  return check_end();
}
