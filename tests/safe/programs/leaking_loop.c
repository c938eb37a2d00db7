/* A block that is allocated in each step and never freed.
 *
 *   weft: PE 0: note: 10 blocks, 8000 bytes in all, were never given back: made by shmem_malloc in main at leaking_loop.c:10, ended by shmem_free
 */
#include <shmem.h>

int main(void) {
  shmem_init();
  for (int step = 0; step < 10; ++step) {
    double* halo = (double*)shmem_malloc(100 * sizeof(double));
    halo[0] = step;
  }
  shmem_finalize();
}
