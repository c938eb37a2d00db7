/* Linked with an MPI; argv[1]: how often the library is started. */
#include <shmem.h>
#include <stdlib.h>

extern int MPI_Init(int* argc, char*** argv);

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  if (MPI_Init(&argc, &argv) != 0) return 1;
  for (int k = 0; k < times; ++k) {
    shmem_init();
    shmem_barrier_all();
    shmem_finalize();
  }
  return 0;
}
