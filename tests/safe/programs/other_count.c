/* A reduction of another length on each PE.
 *
 *   weft: PE 1: shmem_double_max_reduce: the number of elements is 2 here and 1 on PE 0; all PEs must give the same (called in main at other_count.c:13)
 *       PE 0: shmem_double_max_reduce in main at other_count.c:13
 */
#include <shmem.h>

static double mine[64], largest[64];

int main(void) {
  shmem_init();
  size_t cells = (size_t)shmem_my_pe() + 1;
  shmem_double_max_reduce(SHMEM_TEAM_WORLD, largest, mine, cells);
  shmem_finalize();
}
