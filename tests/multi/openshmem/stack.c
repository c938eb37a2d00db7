/* Overflows the stack, by one large array or by a call without end, which a Fortran or teaching program does soon. The
 * line must say that it is the stack, not only the last call of the library. */
#include <shmem.h>
#include <string.h>

static volatile int sink;

/* Not a part of main, whose frame would overflow before shmem_init. */
static void __attribute__((noinline)) large(int bytes) {
  volatile char array[bytes];
  array[sink] = 1; /* at a place that no compiler knows: it may leave out the others of an array */
  sink = array[sink] + shmem_n_pes();
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
