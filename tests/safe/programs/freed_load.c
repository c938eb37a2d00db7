/* A look into memory that was freed.
 *
 *   weft: PE 0: freed memory was used in main at freed_load.c:14: byte 40000 of the block of 80000 bytes that shmem_malloc gave in main at freed_load.c:11
 *       it was freed by shmem_free in main at freed_load.c:13
 */
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  double* field = (double*)shmem_malloc(10000 * sizeof(double));
  field[5000] = shmem_my_pe();
  shmem_free(field);
  printf("%g\n", field[5000]);
  shmem_finalize();
}
