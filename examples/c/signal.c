/* Every PE sends a parcel of numbers to its right neighbour and a signal with it.
 *
 *   oshcc signal.c -o signal && oshrun -n 3 ./signal
 *
 * Shows: memory of the symmetric heap, and put-with-signal: when the signal is there, so is all the data. No barrier
 * is needed between writing and reading.
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 1000

static int wrong_parcels = 0; /* of PE 0: how many PEs found a mistake */

int main(void) {
  shmem_init();
  int me = shmem_my_pe();
  int n = shmem_n_pes();
  int right = (me + 1) % n;
  int left = (me + n - 1) % n;

  /* The same call on every PE: the result is at the same place in each heap. */
  double* parcel = shmem_calloc(COUNT, sizeof *parcel);
  uint64_t* arrived = shmem_calloc(1, sizeof *arrived);
  if (parcel == NULL || arrived == NULL) shmem_global_exit(1);

  double mine[COUNT];
  for (int i = 0; i < COUNT; i++) mine[i] = me * 1000.0 + i;

  shmem_double_put_signal(parcel, mine, COUNT, arrived, 1, SHMEM_SIGNAL_SET, right);
  shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, 1);

  int wrong = 0;
  for (int i = 0; i < COUNT; i++) wrong |= parcel[i] != left * 1000.0 + i;
  if (wrong) shmem_int_atomic_inc(&wrong_parcels, 0);

  shmem_barrier_all();
  if (me == 0) printf(wrong_parcels == 0 ? "all parcels arrived\n" : "parcels are damaged\n");

  shmem_free(arrived);
  shmem_free(parcel);
  shmem_finalize();
  return 0;
}
