/* Built for the medium memory model, whose large constants lie between the small and the large variables. */
#include <shmem.h>
#include <stdio.h>

const char constants[200000] = {1, 2, 3};
char large[200000] = {4, 5, 6};
static long arrived;

int main(void) {
  int right = constants[0] == 1 && constants[199999] == 0 && large[1] == 5;
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_long_p(&arrived, me + 1, (me + 1) % n);
  shmem_char_p(&large[199999], (char)(me + 1), (me + 1) % n);
  shmem_barrier_all();
  const int from = (me + n - 1) % n + 1;
  right = right && constants[2] == 3 && arrived == from && large[199999] == from && large[2] == 6;
  if (!right) shmem_global_exit(1);
  shmem_finalize();
  printf("PE %d: all is right\n", me);
  return 0;
}
