// Tells where the PEs of a job run, and how many each shares memory with, itself included.
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

#define NAME 64

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  char* hosts = shmem_calloc((size_t)n, NAME);
  int* sharing = shmem_calloc((size_t)n, sizeof(int));
  char host[NAME] = "";
  (void)gethostname(host, NAME - 1);
  shmem_putmem(hosts + (size_t)me * NAME, host, NAME, 0);
  int reached = 0;
  for (int i = 0; i < n; ++i) reached += shmem_ptr(sharing, i) != NULL;
  shmem_int_p(sharing + me, reached, 0);
  shmem_barrier_all();
  for (int i = 0; me == 0 && i < n; ++i) {
    printf("PE %d of %d: %s, %d\n", i, n, hosts + (size_t)i * NAME, sharing[i]);
  }
  shmem_finalize();
  return 0;
}
