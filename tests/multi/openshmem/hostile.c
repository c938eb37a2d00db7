/* Programs that do to their process what real ones do: close what they did not open, execute themselves anew, fork from
 * several threads, count wrong.   hostile <what> */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long mine = 7;
static long arrived;

static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }

static void close_all(void) {
  for (int fd = 3; fd < 64; ++fd) close(fd);
}

/* In the child the static data is the parent's of this moment. */
static int child_sees(long value) {
  const pid_t child = fork();
  if (child == 0) _exit(mine == value ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

static void* fork_often(void* bad) {
  for (int k = 0; k < 25; ++k) {
    if (!child_sees(42)) __atomic_fetch_add((int*)bad, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static int forks_of_threads(void) {
  int bad = 0;
  pthread_t threads[4];
  for (int t = 0; t < 4; ++t) pthread_create(&threads[t], NULL, fork_often, &bad);
  for (int t = 0; t < 4; ++t) pthread_join(threads[t], NULL);
  return bad == 0;
}

/* A file of ours on the numbers the library's files had must not be touched by it. */
static int file_survives_finalize(void) {
  char name[] = "hostile.XXXXXX";
  char back = 0;
  int fd = mkstemp(name);
  unlink(name);
  while (fd >= 0 && fd < 16) fd = dup(fd);
  if (fd < 0 || pwrite(fd, "x", 1, 0) != 1) return 0;
  shmem_finalize();
  return pread(fd, &back, 1, 0) == 1 && back == 'x';
}

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  if (is(what, "reexec") && getenv("HOSTILE_AGAIN") == NULL) {
    mine = 8; /* the next life begins with 7 again */
    setenv("HOSTILE_AGAIN", "1", 1);
    execv("/proc/self/exe", argv);
  }
  if (is(what, "closed-before")) close_all();
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  int right = mine == 7;
  mine = 42;
  if (is(what, "closed-after") || is(what, "closed-fork")) close_all();
  if (is(what, "closed-fork")) right &= child_sees(42);
  if (is(what, "fork-threads")) right &= forks_of_threads();
  if (is(what, "count")) {
    volatile size_t wrapping = ((size_t)1 << 61) + 1; /* times 8 it is 8 */
    shmem_long_put(&arrived, &mine, wrapping, me);
  }
  shmem_long_p(&arrived, me + 1, (me + 1) % n);
  shmem_barrier_all();
  right &= arrived == (me + n - 1) % n + 1;
  if (!right) shmem_global_exit(1);
  shmem_barrier_all();
  if (is(what, "closed-after")) {
    right &= file_survives_finalize();
  } else {
    shmem_finalize();
  }
  if (right) printf("PE %d: all is right\n", me);
  return right ? 0 : 1;
}
