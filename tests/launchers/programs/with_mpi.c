/* A program of MPI and OpenSHMEM: under a launcher of both each PE is the process of the same number. argv[1]: the
 * MPI's library, which is loaded as if the program were linked with it: no headers are needed, of either MPI. argv[2]:
 * which of the two is started first. argv[3]: how many processes MPI has. */
#include <dlfcn.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(what)                                                         \
  do {                                                                     \
    if (!(what)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

static void* g_mpi;
static int g_token = -1;

static void* find(const char* name) {
  void* found = dlsym(g_mpi, name);
  NEED(found != NULL);
  return found;
}

/* MPI_COMM_WORLD: the address of an object in Open MPI, a number in MPICH. */
static void* world(void) {
  void* object = dlsym(g_mpi, "ompi_mpi_comm_world");
  return object != NULL ? object : (void*)(uintptr_t)0x44000000;
}

static int ask(const char* name) {
  int answer = -1;
  int (*function)(void*, int*);
  *(void**)&function = find(name);
  NEED(function(world(), &answer) == 0);
  return answer;
}

int main(int argc, char** argv) {
  int (*mpi_init)(int*, char***);
  int (*mpi_barrier)(void*);
  int (*mpi_finalize)(void);
  NEED(argc == 4);
  g_mpi = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (g_mpi == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void**)&mpi_init = find("MPI_Init");
  *(void**)&mpi_barrier = find("MPI_Barrier");
  *(void**)&mpi_finalize = find("MPI_Finalize");
  if (strcmp(argv[2], "mpi") == 0) NEED(mpi_init(NULL, NULL) == 0);
  shmem_init();
  if (strcmp(argv[2], "mpi") != 0) NEED(mpi_init(NULL, NULL) == 0);

  const int me = shmem_my_pe(), n = shmem_n_pes();
  NEED(ask("MPI_Comm_size") == atoi(argv[3]));
  if (n == atoi(argv[3])) NEED(ask("MPI_Comm_rank") == me);
  shmem_int_p(&g_token, me, (me + 1) % n);
  shmem_barrier_all();
  NEED(g_token == (me + n - 1) % n);
  NEED(mpi_barrier(world()) == 0);

  if (strcmp(argv[2], "mpi") != 0) NEED(mpi_finalize() == 0);
  shmem_finalize();
  if (strcmp(argv[2], "mpi") == 0) NEED(mpi_finalize() == 0);
  if (me == 0) printf("both are right on %d\n", n);
  return 0;
}
