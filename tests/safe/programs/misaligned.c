/* An atomic operation on a member of a packed structure.
 *
 *   weft: PE 0: shmem_long_atomic_inc: dest, 0x..., is not aligned: it must be a multiple of 8 (called in main at misaligned.c:14)
 */
#include <shmem.h>

static struct __attribute__((packed, aligned(8))) {
  char kind;
  long hits;
} page;

int main(void) {
  shmem_init();
  shmem_long_atomic_inc((long*)((char*)&page + 1), 0);
  shmem_finalize();
}
