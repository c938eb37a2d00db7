/* A broadcast of which each PE thinks it is the root.
 *
 *   weft: PE 1: shmem_int_broadcast: PE_root is 1 here and 0 on PE 0; all PEs must give the same (called in main at other_root.c:12)
 *       PE 0: shmem_int_broadcast in main at other_root.c:12
 */
#include <shmem.h>

static int found[4], best[4];

int main(void) {
  shmem_init();
  shmem_int_broadcast(SHMEM_TEAM_WORLD, best, found, 4, shmem_my_pe());
  shmem_finalize();
}
