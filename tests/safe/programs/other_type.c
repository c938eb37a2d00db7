/* A reduction of int on one PE and of long on another.
 *
 *   weft: PE 1: shmem_long_sum_reduce: PE 0 calls shmem_int_sum_reduce where this PE calls shmem_long_sum_reduce; all PEs of the set make the same collective calls in the same order (called in main at other_type.c:15)
 *       PE 0: shmem_int_sum_reduce in main at other_type.c:13
 */
#include <shmem.h>

static long part[8], sum[8];

int main(void) {
  shmem_init();
  if (shmem_my_pe() == 0)
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, (int*)sum, (int*)part, 8);
  else
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sum, part, 8);
  shmem_finalize();
}
