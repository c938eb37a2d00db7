/* Locks of both kinds, long ones and the Fortran interface's of 32 bits, on the heap and in static data: no turn is
 * lost.
 *
 *   lock_kinds TURNS
 *   lock_kinds stray BYTES      the last PE puts to PE 0 so many bytes behind the beginning of the heap
 *   lock_kinds store BYTES PE   the last PE stores there, with a pointer to the heap of a PE of its node */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the Fortran interface calls. */
void weft_support_set_lock(int* lock);
void weft_support_clear_lock(int* lock);
int weft_support_test_lock(int* lock);

enum { kEach = 3 };
static int static_int;
static long static_long;
static long* numbers;
static int me, n;

static void add_one(int which) {
  const long seen = shmem_long_g(&numbers[which], which % n);
  shmem_long_p(&numbers[which], seen + 1, which % n);
}

static void with_int(int* lock, int which, int by_test) {
  if (by_test) {
    while (weft_support_test_lock(lock)) {
    }
  } else {
    weft_support_set_lock(lock);
  }
  add_one(which);
  weft_support_clear_lock(lock);
}

static void with_long(long* lock, int which, int by_test) {
  if (by_test) {
    while (shmem_test_lock(lock)) {
    }
  } else {
    shmem_set_lock(lock);
  }
  add_one(which);
  shmem_clear_lock(lock);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  numbers = shmem_calloc(2 * (kEach + 1), sizeof *numbers); /* the first block: the heap begins with it */
  int* ints = shmem_calloc(kEach, sizeof *ints);
  long* longs = shmem_calloc(kEach, sizeof *longs);
  if (strcmp(argv[1], "stray") == 0) {
    if (argc > 2 && me == n - 1) shmem_long_p(numbers + atol(argv[2]) / (long)sizeof *numbers, -1, 0);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
  }
  if (strcmp(argv[1], "store") == 0 && argc > 3) { /* to its own heap, or to that of the PE beside it */
    if (me == n - 1) *(volatile long*)((char*)shmem_ptr(numbers, atoi(argv[3])) + atol(argv[2])) = -1;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
  }
  const int turns = atoi(argv[1]);
  for (int turn = 0; turn < turns; turn++) {
    for (int k = 0; k < kEach; k++) {
      with_int(&ints[k], k, turn % 3 == 0);
      with_long(&longs[k], kEach + 1 + k, turn % 3 == 1);
    }
    with_int(&static_int, kEach, turn % 3 == 2);
    with_long(&static_long, 2 * kEach + 1, turn % 3 == 2);
  }
  shmem_barrier_all();
  int wrong = 0;
  for (int k = 0; k < 2 * (kEach + 1); k++) wrong += shmem_long_g(&numbers[k], k % n) != (long)turns * n;
  printf("PE %d of %d: %d wrong\n", me, n, wrong);
  shmem_finalize();
  return wrong != 0;
}
