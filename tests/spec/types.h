/* The type sets of the specification as lists: X(name in the routine, C type). Plain C99 and C++11. */
#ifndef WEFT_TESTS_SPEC_TYPES_H
#define WEFT_TESTS_SPEC_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* clang-format 14 breaks lists of types anew each time. */
/* clang-format off */
/* The fourteen C types that C11 selection can tell apart on LP64; the other RMA names are aliases of them. */
#define SPEC_DISTINCT_INTEGERS(X)                                   \
  X(char, char) X(schar, signed char)                               \
  X(short, short) X(int, int) X(long, long) X(longlong, long long)  \
  X(uchar, unsigned char) X(ushort, unsigned short)                 \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define SPEC_FLOATS(X) X(float, float) X(double, double)
#define SPEC_FIXED_ALIASES(X)                                                     \
  X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)           \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t)   \
  X(size, size_t) X(ptrdiff, ptrdiff_t)

/* 24 standard RMA types. */
#define SPEC_RMA_TYPES(X) SPEC_FLOATS(X) X(longdouble, long double) SPEC_DISTINCT_INTEGERS(X) SPEC_FIXED_ALIASES(X)

/* 5 element sizes: X(bits, bytes). */
#define SPEC_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

/* 12 standard AMO types, the same as those of the point-to-point routines. */
#define SPEC_AMO_STANDARD(X)                                                      \
  X(int, int) X(long, long) X(longlong, long long)                                \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)  \
  X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)     \
  X(size, size_t) X(ptrdiff, ptrdiff_t)

/* 14 extended AMO types. */
#define SPEC_AMO_EXTENDED(X) SPEC_FLOATS(X) SPEC_AMO_STANDARD(X)

/* 7 bitwise AMO types. */
#define SPEC_AMO_BITWISE(X)                                                       \
  X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)  \
  X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)

#define SPEC_SYNC_TYPES(X) SPEC_AMO_STANDARD(X)
/* clang-format on */

/* Most PEs a test of this folder runs with: it bounds arrays that hold a part for each PE. */
enum { kSpecMaxPes = 16 };

#endif
