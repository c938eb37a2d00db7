/* One PE, the last, does something that ends the job; the others do what its first argument says meanwhile.
 *   actor <others> <victim>
 * Nobody finishes by himself: a job that the launcher does not end runs into the test's limit. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long flag;
static long lock;

static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }

static void hang(void) {
  for (;;) pause();
}

static void crash(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  signal(SIGSEGV, SIG_DFL); /* the sanitizer would make an exit code of it */
#endif
  raise(SIGSEGV);
}

static void be_victim(const char* how, int me, int n) {
  usleep(100 * 1000); /* the others are in their waits */
  if (is(how, "segv")) crash();
  if (is(how, "kill")) raise(SIGKILL);
  if (is(how, "abort")) abort();
  if (is(how, "exit3")) exit(3);
  if (is(how, "leave")) exit(0);
  if (is(how, "global")) shmem_global_exit(99);
  if (is(how, "global0")) shmem_global_exit(0);
  if (is(how, "hanging-exit")) {
    atexit(hang);
    shmem_global_exit(99);
  }
  if (is(how, "finish")) {
    shmem_finalize();
    exit(0);
  }
  if (is(how, "badpe")) shmem_long_p(&flag, me, n + 5);
}

static void be_other(const char* how) {
  if (is(how, "barrier")) shmem_barrier_all();
  if (is(how, "barrier-more")) {
    shmem_barrier_all(); /* the victim's finalize answers this one */
    shmem_finalize();
  }
  if (is(how, "wait")) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 42);
  if (is(how, "lock")) shmem_set_lock(&lock);
  if (is(how, "finalize")) shmem_finalize();
  if (is(how, "other-group")) { /* as a shell with job control does */
    const pid_t child = fork();
    if (child == 0) hang();
    setpgid(child, child);
    setpgid(0, child);
    hang();
  }
  if (is(how, "sleep")) hang();
  if (is(how, "compute"))
    for (volatile unsigned long i = 0;; ++i) {
    }
  if (is(how, "quit")) exit(0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* pe = getenv("WEFT_PE");
  const char* pes = getenv("WEFT_NPES");
  if (is(argv[2], "noinit") && pe != NULL && pes != NULL && atoi(pe) == atoi(pes) - 1) {
    usleep(100 * 1000);
    return 0;
  }
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  if (is(argv[1], "lock") && me == n - 1) shmem_set_lock(&lock);
  shmem_barrier_all();
  printf("PE %d ready\n", me);
  fflush(stdout);
  if (me == n - 1) {
    be_victim(argv[2], me, n);
  } else {
    be_other(argv[1]);
  }
  hang();
}
