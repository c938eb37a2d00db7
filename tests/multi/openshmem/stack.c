/* Overflows the stack, by one large array or by a call without end, which a Fortran or teaching program does soon. The
 * line must say that it is the stack, not only the last call of the library. */
#include <shmem.h>
#include <string.h>

static volatile int sink;

static void large(int bytes) {
  volatile char array[bytes];
  array[0] = 1;
  sink = array[0] + shmem_n_pes();
}

static int deep(int level) {
  volatile char frame[256];
  frame[0] = (char)level;
  return level < 0 ? 0 : deep(level + 1) + frame[0];
}

int main(int argc, char** argv) {
  shmem_init();
  shmem_barrier_all();
  if (argc > 1 && strcmp(argv[1], "large") == 0) large(1 << 30);
  if (argc > 1 && strcmp(argv[1], "deep") == 0) sink = deep(0);
  shmem_finalize();
  return 0;
}
