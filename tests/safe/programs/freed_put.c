/* A put into memory that was freed.
 *
 *   weft: PE 0: shmem_int_p: dest, 4 bytes at 0x..., is freed memory: byte 4 of the block of 64 bytes that shmem_calloc gave in main at freed_put.c:10
 *       it was freed by shmem_free in main at freed_put.c:13
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  int* flags = (int*)shmem_calloc(16, sizeof(int));
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  shmem_int_p(&flags[1], 1, right);
  shmem_free(flags);
  shmem_int_p(&flags[1], 0, right);
  shmem_finalize();
}
