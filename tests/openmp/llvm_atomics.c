// __kmpc_atomic_*, which compilers call that make no instructions: each by its name, against what the language makes of
// the same operands, and by all threads at once.
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef float _Complex cmplx4;
typedef double _Complex cmplx8;
typedef long double _Complex cmplx10;
typedef long double float10;
static int named;

static void* find(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) printf("there is no %s\n", name);
  CHECK(found != NULL);
  ++named;
  return found;
}

// Bytes that say nothing are not compared: long doubles have some.
#define PLAIN(name, T, B, from, with, wanted)                   \
  do {                                                          \
    T x = from;                                                 \
    const T a = x;                                              \
    const B b = with;                                           \
    void (*f)(void*, int, T*, B) = find("__kmpc_atomic_" name); \
    f(NULL, 0, &x, b);                                          \
    CHECK(((void)a, x == (T)(wanted)));                         \
  } while (0)
#define CAPTURE(name, T, from, with, wanted)                      \
  do {                                                            \
    const T a = from;                                             \
    const T b = with;                                             \
    T (*f)(void*, int, T*, T, int) = find("__kmpc_atomic_" name); \
    for (int later = 0; later < 2; ++later) {                     \
      T x = a;                                                    \
      const T got = f(NULL, 0, &x, b, later);                     \
      CHECK(x == (T)(wanted) && got == (later ? x : a));          \
    }                                                             \
  } while (0)
#define BOTH(name, T, from, with, wanted) \
  PLAIN(name, T, T, from, with, wanted);  \
  CAPTURE(name "_cpt", T, from, with, wanted)
#define BOTH_WAYS(name, T, from, with, wanted, reversed) \
  BOTH(name, T, from, with, wanted);                     \
  PLAIN(name "_rev", T, T, from, with, reversed);        \
  CAPTURE(name "_cpt_rev", T, from, with, reversed)
#define ACCESSES(type, T, from, with)                            \
  do {                                                           \
    T x = from;                                                  \
    T (*rd)(void*, int, T*) = find("__kmpc_atomic_" type "_rd"); \
    CHECK(rd(NULL, 0, &x) == (T)(from));                         \
    PLAIN(type "_wr", T, T, from, with, b);                      \
  } while (0)
#define SWAP(type, T, from, with)                                     \
  do {                                                                \
    T x = from;                                                       \
    T (*swp)(void*, int, T*, T) = find("__kmpc_atomic_" type "_swp"); \
    CHECK(swp(NULL, 0, &x, with) == (T)(from) && x == (T)(with));     \
  } while (0)

#define INTEGERS(n, T, U)                                    \
  BOTH("fixed" n "_add", T, 97, -5, a + b);                  \
  BOTH_WAYS("fixed" n "_sub", T, 97, -5, a - b, b - a);      \
  BOTH("fixed" n "_mul", T, 17, -5, a* b);                   \
  BOTH_WAYS("fixed" n "_div", T, 97, -5, a / b, b / a);      \
  BOTH("fixed" n "_andb", T, 97, 13, a& b);                  \
  BOTH("fixed" n "_orb", T, 97, 13, a | b);                  \
  BOTH("fixed" n "_xor", T, 97, 13, a ^ b);                  \
  BOTH("fixed" n "_eqv", T, 97, 13, a ^ ~b);                 \
  BOTH("fixed" n "_neqv", T, 97, 13, a ^ b);                 \
  BOTH_WAYS("fixed" n "_shl", T, 3, 2, a << b, b << a);      \
  BOTH_WAYS("fixed" n "_shr", T, 3, 2, a >> b, b >> a);      \
  BOTH("fixed" n "_andl", T, 97, 2, a&& b);                  \
  BOTH("fixed" n "_orl", T, 0, 2, a || b);                   \
  BOTH("fixed" n "_max", T, 97, -5, a > b ? a : b);          \
  BOTH("fixed" n "_min", T, 97, -5, a < b ? a : b);          \
  BOTH_WAYS("fixed" n "u_div", U, (U)-9, 5, a / b, b / a);   \
  BOTH_WAYS("fixed" n "u_shr", U, (U)-9, 3, a >> b, 0);      \
  PLAIN("fixed" n "_mul_float8", T, double, 9, 2.7, a* b);   \
  PLAIN("fixed" n "_div_float8", T, double, 99, 2.5, a / b); \
  ACCESSES("fixed" n, T, 97, -5);                            \
  SWAP("fixed" n, T, 97, -5)

#define FLOATS(n, T)                                        \
  BOTH("float" n "_add", T, 9.5, -2.25, a + b);             \
  BOTH_WAYS("float" n "_sub", T, 9.5, -2.25, a - b, b - a); \
  BOTH("float" n "_mul", T, 9.5, -2.25, a* b);              \
  BOTH_WAYS("float" n "_div", T, 9.5, -2.25, a / b, b / a); \
  BOTH("float" n "_max", T, 9.5, -2.25, a > b ? a : b);     \
  BOTH("float" n "_min", T, 9.5, -2.25, a < b ? a : b);     \
  ACCESSES("float" n, T, 9.5, -2.25);                       \
  SWAP("float" n, T, 9.5, -2.25)

#define COMPLEX(n, T)                                                 \
  BOTH("cmplx" n "_add", T, 8 + 2 * I, 2 - 4 * I, a + b);             \
  BOTH_WAYS("cmplx" n "_sub", T, 8 + 2 * I, 2 - 4 * I, a - b, b - a); \
  BOTH("cmplx" n "_mul", T, 8 + 2 * I, 2 - 4 * I, a * b);             \
  BOTH_WAYS("cmplx" n "_div", T, 8 + 2 * I, 4, a / b, b / a);         \
  ACCESSES("cmplx" n, T, 8 + 2 * I, 2 - 4 * I);                       \
  SWAP("cmplx" n, T, 8 + 2 * I, 2 - 4 * I)

#define SMALL_CAPTURE(name, wanted)                                                            \
  do {                                                                                         \
    const cmplx4 a = 8 + 2 * I;                                                                \
    const cmplx4 b = 4;                                                                        \
    void (*f)(void*, int, cmplx4*, cmplx4, cmplx4*, int) = find("__kmpc_atomic_cmplx4_" name); \
    for (int later = 0; later < 2; ++later) {                                                  \
      cmplx4 x = a;                                                                            \
      cmplx4 got = 0;                                                                          \
      f(NULL, 0, &x, b, &got, later);                                                          \
      CHECK(x == (cmplx4)(wanted) && got == (later ? x : a));                                  \
    }                                                                                          \
  } while (0)

#define COMPARED(n, T)                                                                                \
  do {                                                                                                \
    bool (*is)(void*, int, T*, T, T) = find("__kmpc_atomic_bool_" n "_cas");                          \
    bool (*is_cpt)(void*, int, T*, T, T, T*) = find("__kmpc_atomic_bool_" n "_cas_cpt");              \
    T (*was)(void*, int, T*, T, T) = find("__kmpc_atomic_val_" n "_cas");                             \
    T (*was_cpt)(void*, int, T*, T, T, T*) = find("__kmpc_atomic_val_" n "_cas_cpt");                 \
    T x = 5;                                                                                          \
    T got = 0;                                                                                        \
    CHECK(!is(NULL, 0, &x, 4, 9) && x == 5 && is(NULL, 0, &x, 5, 9) && x == 9);                       \
    CHECK(!is_cpt(NULL, 0, &x, 4, 7, &got) && got == 9 && is_cpt(NULL, 0, &x, 9, 7, &got) && x == 7); \
    CHECK(was(NULL, 0, &x, 4, 3) == 7 && x == 7 && was(NULL, 0, &x, 7, 3) == 7 && x == 3);            \
    CHECK(was_cpt(NULL, 0, &x, 4, 2, &got) == 3 && got == 3 && x == 3);                               \
    CHECK(was_cpt(NULL, 0, &x, 3, 2, &got) == 3 && got == 2 && x == 2);                               \
  } while (0)

static void each(void) {
  INTEGERS("1", int8_t, uint8_t);
  INTEGERS("2", int16_t, uint16_t);
  INTEGERS("4", int32_t, uint32_t);
  INTEGERS("8", int64_t, uint64_t);
  FLOATS("4", float);
  FLOATS("8", double);
  FLOATS("10", float10);
  COMPLEX("8", cmplx8);
  COMPLEX("10", cmplx10);
  PLAIN("float4_add_float8", float, double, 9.5, 0.25, a + b);
  PLAIN("float4_sub_float8", float, double, 9.5, 0.25, a - b);
  PLAIN("float4_mul_float8", float, double, 9.5, 0.25, a* b);
  PLAIN("float4_div_float8", float, double, 9.5, 0.25, a / b);
  PLAIN("cmplx4_add", cmplx4, cmplx4, 8 + 2 * I, 4, a + b);
  PLAIN("cmplx4_sub", cmplx4, cmplx4, 8 + 2 * I, 4, a - b);
  PLAIN("cmplx4_mul", cmplx4, cmplx4, 8 + 2 * I, 4, a * b);
  PLAIN("cmplx4_div", cmplx4, cmplx4, 8 + 2 * I, 4, a / b);
  PLAIN("cmplx4_sub_rev", cmplx4, cmplx4, 8 + 2 * I, 4, b - a);
  PLAIN("cmplx4_div_rev", cmplx4, cmplx4, 8 + 2 * I, 4, b / a);
  PLAIN("cmplx4_add_cmplx8", cmplx4, cmplx8, 8 + 2 * I, 4, a + b);
  PLAIN("cmplx4_sub_cmplx8", cmplx4, cmplx8, 8 + 2 * I, 4, a - b);
  PLAIN("cmplx4_mul_cmplx8", cmplx4, cmplx8, 8 + 2 * I, 4, a * b);
  PLAIN("cmplx4_div_cmplx8", cmplx4, cmplx8, 8 + 2 * I, 4, a / b);
  SMALL_CAPTURE("add_cpt", a + b);
  SMALL_CAPTURE("sub_cpt", a - b);
  SMALL_CAPTURE("mul_cpt", a * b);
  SMALL_CAPTURE("div_cpt", a / b);
  SMALL_CAPTURE("sub_cpt_rev", b - a);
  SMALL_CAPTURE("div_cpt_rev", b / a);
  ACCESSES("cmplx4", cmplx4, 8 + 2 * I, 2 - 4 * I);
  void (*swap)(void*, int, cmplx4*, cmplx4, cmplx4*) = find("__kmpc_atomic_cmplx4_swp");
  cmplx4 x = 1;
  cmplx4 was = 0;
  swap(NULL, 0, &x, 2, &was);
  CHECK(x == 2 && was == 1);
  COMPARED("1", int8_t);
  COMPARED("2", int16_t);
  COMPARED("4", int32_t);
  COMPARED("8", int64_t);
}

static int bytes_of;  // of the operands of add_all()
static void add_all(void* to, void* left, void* right) {
  for (int k = 0; k < bytes_of; ++k) ((unsigned char*)to)[k] = ((unsigned char*)left)[k] + ((unsigned char*)right)[k];
}

enum { kRounds = 500 };
static int16_t small;
static double sum;
static float10 long_sum;
static cmplx8 complex_sum;
static long guarded;
static unsigned char wide[32];

static void together(void) {
  void (*add_small)(void*, int, int16_t*, int16_t) = find("__kmpc_atomic_fixed2_add");
  void (*add)(void*, int, double*, double) = find("__kmpc_atomic_float8_add");
  void (*add_long)(void*, int, float10*, float10) = find("__kmpc_atomic_float10_add");
  void (*add_complex)(void*, int, cmplx8*, cmplx8) = find("__kmpc_atomic_cmplx8_add");
  void (*start)(void) = find("__kmpc_atomic_start");
  void (*end)(void) = find("__kmpc_atomic_end");
  static const int sizes[] = {1, 2, 4, 8, 10, 16, 20, 32};
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int k = 0; k < kRounds; ++k) {
      add_small(NULL, 0, &small, 3);
      add(NULL, 0, &sum, 0.5);
      add_long(NULL, 0, &long_sum, 0.25L);
      add_complex(NULL, 0, &complex_sum, 1 + 2 * I);
      start();
      ++guarded;
      end();
    }
  }
  const int all = threads * kRounds;
  CHECK(small == (int16_t)(3 * all) && sum == all * 0.5 && long_sum == all * 0.25L && guarded == all);
  CHECK(complex_sum == all + 2 * all * I);
  for (int k = 0; k < 8; ++k) {
    char name[40];
    snprintf(name, sizeof name, "__kmpc_atomic_%d", sizes[k]);
    void (*combine)(void*, int, void*, void*, void (*)(void*, void*, void*)) = find(name);
    memset(wide, 0, sizeof wide);
    bytes_of = sizes[k];
#pragma omp parallel
    {
      unsigned char ones[32];
      memset(ones, 1, sizeof ones);
      for (int j = 0; j < 10; ++j) combine(NULL, 0, wide, ones, add_all);
    }
    for (int j = 0; j < 32; ++j) CHECK(wide[j] == (j < sizes[k] ? (unsigned char)(10 * threads) : 0));
  }
}

int main(void) {
  CHECK(omp_get_max_threads() > 0);  // LLVM's own library begins here
  each();
  together();
  printf("all is right: %d\n", named);
  return 0;
}
