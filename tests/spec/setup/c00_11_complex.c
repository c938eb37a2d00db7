/* 0.11 <complex.h> before or after shmem.h changes nothing. */
/* The order is the test. */
/* clang-format off */
#ifdef COMPLEX_FIRST
#include <complex.h>
#include <shmem.h>
#else
#include <shmem.h>
#include <complex.h>
#endif
/* clang-format on */
#include <stdio.h>

static double _Complex z[2];

int main(void) {
  const double _Complex mine[2] = {1.0 + 2.0 * I, 3.0 - 4.0 * I};
  int me, n;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  shmem_putmem(z, mine, sizeof mine, (me + 1) % n);
  shmem_barrier_all();
  if (creal(z[1]) != 3.0 || cimag(z[1]) != -4.0 || cimag(z[0]) != 2.0) {
    fprintf(stderr, "PE %d: %g%+gi\n", me, creal(z[1]), cimag(z[1]));
    shmem_global_exit(1);
  }
  shmem_finalize();
  return 0;
}
