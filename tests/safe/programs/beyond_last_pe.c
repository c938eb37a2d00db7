/* The right neighbour of the last PE.
 *
 *   weft: PE 1: shmem_long_p: PE 2 does not exist; the PEs of this job are 0 to 1 (called in main at beyond_last_pe.c:11)
 */
#include <shmem.h>

static long token;

int main(void) {
  shmem_init();
  shmem_long_p(&token, 1, shmem_my_pe() + 1); /* % shmem_n_pes() */
  shmem_finalize();
}
