/* A put past the end of a global array whose name is also that of a type in the language of linkers.
 *
 *   weft: PE 0: shmem_int_put: dest, 20 bytes at 0x..., runs 4 bytes past the end of the variable x, which has 16 bytes (called in main at one_letter.c:13)
 */
#include <shmem.h>

static int x[4], l[2];

int main(void) {
  int edge[2] = {1, 2};
  shmem_init();
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_int_put(x, (int[]){1, 2, 3, 4, 5}, 5, right);
  shmem_int_put(l, edge, 2, right);
  shmem_finalize();
}
