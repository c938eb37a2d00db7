/* A broadcast in place, in a loop.
 *
 *   weft: PE 0: note: shmem_long_broadcast: dest and source are both 0x...; that works here, and the standard allows it for reductions and scans only (called in main at broadcast_in_place.c:14)
 */
#include <shmem.h>

static long value;

int main(void) {
  shmem_init();
  value = shmem_my_pe() + 1;
  shmem_barrier_all();  // others write it as soon as they broadcast
  for (int k = 0; k < 3; ++k) {
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &value, &value, 1, 0);
  }
  shmem_finalize();
  return value != 1;
}
