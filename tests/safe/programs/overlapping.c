/* A shift of an array by a get from oneself.
 *
 *   weft: PE 0: shmem_int_get: dest, 0x..., and source, 0x..., of 36 bytes overlap (called in main at overlapping.c:11)
 */
#include <shmem.h>

static int queue[10];

int main(void) {
  shmem_init();
  shmem_int_get(queue, queue + 1, 9, shmem_my_pe());
  shmem_finalize();
}
