/* A put past the end of a global array.
 *
 *   weft: PE 0: shmem_double_put: dest, 40 bytes at 0x..., runs 8 bytes past the end of the variable field, which has 32 bytes (called in main at overrun_variable.c:13)
 */
#include <shmem.h>

static double field[4], halo[2];

int main(void) {
  double edge[2] = {1, 2};
  shmem_init();
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_double_put(field, (double[]){1, 2, 3, 4, 5}, 5, right);
  shmem_double_put(halo, edge, 2, right);
  shmem_finalize();
}
