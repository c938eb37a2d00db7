/* An alltoall in place, as reductions may be.
 *
 *   weft: PE 0: shmem_long_alltoall: dest and source are both 0x...; only reductions and scans work in place (called in main at in_place.c:11)
 */
#include <shmem.h>

static long parts[64];

int main(void) {
  shmem_init();
  shmem_long_alltoall(SHMEM_TEAM_WORLD, parts, parts, 2);
  shmem_finalize();
}
