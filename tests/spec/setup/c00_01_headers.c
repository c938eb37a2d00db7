/* 0.1 shmemx.h exists and may be included alone, first or last, and more than once; so may pshmem.h.
 * 0.2 <mpp/shmem.h> and <mpp/shmemx.h> still work. The build makes one program of each order. */
/* The order is the test. */
/* clang-format off */
#if ORDER == 1
#include <shmemx.h>
#include <shmem.h>
#elif ORDER == 2
#include <shmem.h>
#include <shmemx.h>
#include <shmem.h>
#include <shmemx.h>
#elif ORDER == 3
#include <mpp/shmem.h>
#elif ORDER == 4
#include <mpp/shmemx.h>
#include <mpp/shmem.h>
#elif ORDER == 5
#include <pshmem.h>
#include <shmem.h>
#elif ORDER == 6
#include <shmem.h>
#include <pshmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>
#else
#error "ORDER says which headers"
#endif
/* clang-format on */
#include <stdio.h>

#ifndef SHMEM_MAJOR_VERSION
#error "the header gave no version"
#endif

static long there;

int main(void) {
  int me, n, wrong;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  shmem_long_p(&there, me + 1, (me + 1) % n);
  shmem_barrier_all();
  wrong = there != (me + n - 1) % n + 1;
  if (wrong) {
    fprintf(stderr, "PE %d: got %ld\n", me, there);
    shmem_global_exit(1);
  }
  shmem_finalize();
  return 0;
}
