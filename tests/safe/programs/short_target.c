/* A target of fcollect with room for one PE only.
 *
 *   weft: PE 0: shmem_int_fcollect: dest, 32 bytes at 0x..., runs 16 bytes past the end of the block of 16 bytes that shmem_malloc gave in main at short_target.c:11 (called in main at short_target.c:12)
 */
#include <shmem.h>

static int mine[4];

int main(void) {
  shmem_init();
  int* all = (int*)shmem_malloc(sizeof mine); /* times shmem_n_pes() */
  shmem_int_fcollect(SHMEM_TEAM_WORLD, all, mine, 4);
  shmem_free(all);
  shmem_finalize();
}
