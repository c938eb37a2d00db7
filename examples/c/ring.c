/* A token goes round the ring of PEs; each PE adds its number and puts it into its right neighbour's memory.
 *
 *   oshcc ring.c -o ring && oshrun -n 4 ./ring
 *
 * Shows: a symmetric variable that is just a static one, a put, and waiting for a value to arrive.
 */
#include <shmem.h>
#include <stdio.h>

static long token = -1; /* every PE has one, and every other PE can write to it */

int main(void) {
  shmem_init();
  int me = shmem_my_pe();
  int n = shmem_n_pes();
  int right = (me + 1) % n;

  if (me == 0) {
    shmem_long_p(&token, 0, right);
    shmem_long_wait_until(&token, SHMEM_CMP_NE, -1);
    long expected = (long)n * (n - 1) / 2;
    printf("the sum came round as %ld, %s\n", token, token == expected ? "as expected" : "which is wrong");
  } else {
    shmem_long_wait_until(&token, SHMEM_CMP_NE, -1);
    shmem_long_p(&token, token + me, right);
  }

  shmem_finalize();
  return 0;
}
