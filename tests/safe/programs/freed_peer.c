/* A store by a pointer from shmem_ptr into memory of another PE that was freed.
 *
 *   weft: PE 0: freed memory on PE 1, by shmem_ptr, was used in main at freed_peer.c:14: byte 40000 of the block of 80000 bytes that shmem_malloc gave in main at freed_peer.c:10
 *       it was freed by shmem_free in main at freed_peer.c:13
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  double* field = (double*)shmem_malloc(10000 * sizeof(double));
  int right = (shmem_my_pe() + 1) % shmem_n_pes();
  double* theirs = (double*)shmem_ptr(field, right);
  shmem_free(field);
  theirs[5000] = 1;
  shmem_finalize();
}
