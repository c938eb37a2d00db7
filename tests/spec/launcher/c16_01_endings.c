/* Point 16.1: the endings of a job: exit code of global_exit, a PE that dies of a signal, one that returns nonzero, one
 * that leaves without finalize: the job ends although all others wait for ever, and the code says why.
 * argv[1]: the ending; argv[2]: the PE that makes it. */
#include "check.h"

static long g_never;

static void wait_for_ever(int me) {
  switch (me % 4) {
    case 0: shmem_long_wait_until(&g_never, SHMEM_CMP_NE, 0); break;
    case 1: shmem_barrier_all(); break;
    case 2:
      for (;;) pause();
    default:
      for (;;) g_never += 0; /* computes, and never calls the library */
  }
}

int main(int argc, char** argv) {
  const char* const ending = argc > 1 ? argv[1] : "";
  int who;
  check_begin();
  who = (argc > 2 ? atoi(argv[2]) : 0) % check_n;
  if (check_me != who) {
    wait_for_ever(check_me);
    return 0;
  }
  check_sleep_ms(30); /* the others wait by now, most likely; right either way */
  if (strcmp(ending, "global_exit") == 0) shmem_global_exit(42);
  if (strcmp(ending, "segv") == 0) raise(SIGSEGV);
  if (strcmp(ending, "kill") == 0) raise(SIGKILL);
  if (strcmp(ending, "abort") == 0) abort();
  if (strcmp(ending, "return") == 0) return 7;
  if (strcmp(ending, "leave") == 0) _exit(0); /* success, but without finalize, while others wait */
  return 99;
}
