/* What is different for a PE that oshrun has not started: its static data moves before anybody knows of a job, and what
 * it starts inherits its environment. argv[1]: what this process does; argv[2]: how many PEs there are; argv[3], where
 * they are on several nodes: spread. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEED(what)                                                         \
  do {                                                                     \
    if (!(what)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

static long g_begun = 17;
static long g_zero;
static long g_large[1 << 20]; /* a .bss that is mostly never touched */

static int run(char** argv) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[0], argv);
    _exit(127);
  }
  NEED(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child has its own variables, as after any fork. */
static void fork_and_change(void) {
  int status = -1;
  const long before = g_begun;
  const pid_t child = fork();
  if (child == 0) {
    g_begun = -1;
    g_zero = -1;
    exit(g_begun == -1 ? 5 : 6);
  }
  NEED(child > 0 && waitpid(child, &status, 0) == child);
  NEED(WIFEXITED(status) && WEXITSTATUS(status) == 5);
  NEED(g_begun == before);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? atoi(argv[2]) : 1;
  NEED(g_begun == 17 && g_zero == 0);
  if (strcmp(what, "nothing") == 0) {
    puts("no OpenSHMEM here");
    return 0;
  }
  if (strcmp(what, "again") == 0) { /* executes itself anew, as wrappers do that change the environment */
    char* words[] = {argv[0], "all", argv[2], NULL};
    g_begun = 3;
    execv(argv[0], words);
    return 127;
  }
  if (strcmp(what, "close") == 0) closefrom(3); /* a careless daemon */
  g_begun = 18;
  g_zero = 1;
  g_large[12345] = 6;
  fork_and_change();
  if (strcmp(what, "late") == 0) sleep(1);
  shmem_init();
  const int me = shmem_my_pe();
  NEED(shmem_n_pes() == n);
  if (strcmp(what, "helper") == 0) {
    shmem_finalize();
    return 0;
  }
  NEED(g_begun == 18 && g_zero == 1 && g_large[12345] == 6);
  const int spread = argc > 3 && strcmp(argv[3], "spread") == 0;
  for (int pe = 0; pe < n && !spread; ++pe) NEED(shmem_ptr(&g_begun, pe) != NULL);
  shmem_long_p(&g_large[100 + me], me + 1, (me + 1) % n);
  shmem_barrier_all();
  const int left = (me + n - 1) % n;
  NEED(g_large[100 + left] == left + 1);
  NEED(shmem_long_g(&g_begun, left) == 18);
  long* heap = shmem_malloc(sizeof *heap);
  *heap = 100 + me;
  shmem_barrier_all();
  NEED(shmem_long_g(heap, left) == 100 + left);
  shmem_free(heap);
  fork_and_change();
  if (strcmp(what, "all") == 0) {
    char* words[] = {argv[0], "helper", "1", NULL};
    NEED(run(words) == 0);
  }
  shmem_barrier_all();
  if (strcmp(what, "forget") == 0) { /* without shmem_finalize, one after the other, and nobody waits */
    usleep(100000 * (useconds_t)me);
    return 0;
  }
  if (strcmp(what, "vanish") == 0) { /* without any handler, and all others wait */
    if (me == n - 1) _exit(0);
    shmem_barrier_all();
  }
  if (strcmp(what, "leave") == 0) { /* without shmem_finalize, and all others wait */
    if (me == n - 1) return 0;
    shmem_barrier_all();
  }
  shmem_finalize();
  if (me == 0) printf("all is right on %d\n", n);
  return 0;
}
