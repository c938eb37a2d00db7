/* 0.11 One source for every language the header promises: C99, C11 with -pedantic -Werror, C17 and C++11 to C++20. It
 * uses names that a careless header takes away: I and complex of <complex.h>, and common macros. */
#include <shmem.h>

#if defined(I) || defined(complex) || defined(_Complex_I) || defined(imaginary)
#error "shmem.h pulls in the macros of complex.h"
#endif
#if defined(min) || defined(max) || defined(bool_) || defined(restrict_)
#error "shmem.h defines macros that are not its own"
#endif

#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<double> Point;
#endif

/* Names of the program's own. */
static int I = 3;
static double complex = 2.5;
static long weft = 1, heap = 2, window = 3, put = 4, get = 5, pe = 6;

static long there[2];

int main(void) {
  long own[2] = {0, 0};
  int me, n, to;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  to = (me + 1) % n;
  own[0] = me + I;
  own[1] = (long)(complex * 2) + weft + heap + window + put + get + pe;
#ifdef __cplusplus
  own[0] += (long)std::abs(Point(3, 4)) - 5;
#endif
  shmem_long_put(there, own, 2, to);
  shmem_barrier_all();
  if (there[0] != (me + n - 1) % n + 3 || there[1] != 26) {
    fprintf(stderr, "PE %d: %ld %ld\n", me, there[0], there[1]);
    shmem_global_exit(EXIT_FAILURE);
  }
  shmem_finalize();
  return 0;
}
