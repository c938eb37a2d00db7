/* One PE, the last, does something that ends the job; the others do what its first argument says meanwhile.
 *   actor <others> <victim>
 * Nobody finishes by himself: a job that the launcher does not end runs into the test's limit.
 * The last thing the victim does is to note the time (CLOCK_MONOTONIC, in ns) in the file WEFT_TEST_STAMP, if set. */
#include <fcntl.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long flag;
static long lock;
static long psync[SHMEM_REDUCE_SYNC_SIZE];
static long pwrk[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long source, dest[64];
static shmem_team_t backwards; /* of all; the last PE is member 0 */
static shmem_team_t last_two;

static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }

static void hang(void) {
  for (;;) pause();
}

/* In signal handlers too, so by nothing that takes memory. */
static void stamp(void) {
  const char* path = getenv("WEFT_TEST_STAMP");
  const int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  char text[24];
  char* at = text + sizeof text;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (file < 0) return;
  *--at = '\n';
  for (long long ns = (long long)now.tv_sec * 1000000000 + now.tv_nsec; ns > 0; ns /= 10) *--at = (char)('0' + ns % 10);
  if (write(file, at, (size_t)(text + sizeof text - at)) < 0) abort();
  close(file);
}

static void crash(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  signal(SIGSEGV, SIG_DFL); /* the sanitizer would make an exit code of it */
#endif
  raise(SIGSEGV);
}

/* In a handler of a signal, where the library may be in the middle of anything. */
static void crash_in_handler(int number) {
  (void)number;
  stamp();
  crash();
}

static void die_in(int number) {
  stamp();
  signal(number, SIG_DFL);
  raise(number);
}

static void begin_alarm(void) {
  const struct itimerval soon = {{0, 0}, {0, 100 * 1000}};
  signal(SIGALRM, die_in);
  setitimer(ITIMER_REAL, &soon, NULL);
}

static char* volatile taken; /* seen by all: a compiler may leave out what nobody reads, and its memory with it */

static void take_all_memory(void) {
  enum { kPiece = 16 << 20 };
  for (;;) {
    taken = malloc(kPiece);
    if (taken == NULL) exit(6);
    stamp();
    memset(taken, 1, kPiece);
  }
}

/* Until writing fails. */
static void print_for_ever(void) {
  for (;;) {
    if (puts("a line that goes nowhere") < 0 || fflush(stdout) != 0) exit(5);
  }
}

/* Where the job's end is asked for, and nobody does. */
static void stray_store(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "weft-control") == NULL) continue;
    *(volatile unsigned*)(strtoul(line, NULL, 16) + 64) = 0x41414141;
    break;
  }
  fclose(maps);
}

static void be_victim(const char* how, int me, int n) {
  usleep(100 * 1000);     /* the others are in their waits */
  if (is(how, "alarm")) { /* in the middle of a collective that never ends */
    begin_alarm();
    shmem_long_sum_reduce(backwards, dest, &source, 1);
  }
  if (is(how, "in-handler")) {
    signal(SIGUSR1, crash_in_handler);
    raise(SIGUSR1);
  }
  if (is(how, "memory")) take_all_memory();
  if (is(how, "print")) print_for_ever();
  if (is(how, "stop")) raise(SIGSTOP);
  if (is(how, "stop-once")) { /* the end of the others' barrier is that of this one */
    raise(SIGSTOP);
    shmem_barrier_all();
    shmem_finalize();
    exit(0);
  }
  if (is(how, "children")) { /* that become other programs do no harm */
    if (system("true") != 0 || fork() == 0) execl("/bin/true", "true", NULL);
    usleep(600 * 1000);
  }
  stamp();
  if (is(how, "exec")) execl("/bin/sleep", "sleep", "1000", NULL);
  if (is(how, "exec-itself")) execl("/proc/self/exe", "actor", "sleep", "nothing", NULL);
  if (is(how, "stray")) stray_store();
  if (is(how, "segv")) crash();
  if (is(how, "kill")) raise(SIGKILL);
  if (is(how, "abort")) abort();
  if (is(how, "exit3") || is(how, "children")) exit(3);
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
  if (is(how, "psync")) {
    for (int k = 0; k < SHMEM_REDUCE_SYNC_SIZE; ++k) psync[k] = 7;
    shmem_long_sum_to_all(dest, &source, 1, 0, 0, n, pwrk, psync);
  }
  if (is(how, "no-member")) shmem_barrier(0, 0, n - 1, psync);
  if (is(how, "no-set")) shmem_barrier(0, 0, n + 1, psync);
  if (is(how, "private-psync")) {
    long on_stack[SHMEM_BARRIER_SYNC_SIZE] = {0};
    shmem_barrier(0, 0, n, on_stack);
  }
}

static void be_other(const char* how) {
  if (is(how, "barrier")) shmem_barrier_all();
  if (is(how, "barrier-more")) {
    shmem_barrier_all(); /* the victim's finalize answers this one */
    shmem_finalize();
  }
  if (is(how, "barrier-once")) {
    shmem_barrier_all();
    shmem_finalize();
    exit(0);
  }
  if (is(how, "wait")) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 42);
  if (is(how, "lock")) shmem_set_lock(&lock);
  if (is(how, "finalize")) shmem_finalize();
  if (is(how, "team-sync")) shmem_team_sync(backwards);
  if (is(how, "broadcast")) shmem_long_broadcast(backwards, dest, &source, 1, 0);
  if (is(how, "reduce")) shmem_long_sum_reduce(backwards, dest, &source, 1);
  if (is(how, "collect")) shmem_long_collect(backwards, dest, &source, 1);
  if (is(how, "active-set")) shmem_long_sum_to_all(dest, &source, 1, 0, 0, shmem_n_pes(), pwrk, psync);
  if (is(how, "split")) shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &last_two);
  if (is(how, "split-of-team")) shmem_team_split_2d(backwards, 1, NULL, 0, &last_two, NULL, 0, &last_two);
  if (is(how, "destroy")) shmem_team_destroy(backwards);
  if (is(how, "small-team")) { /* one waits for the victim, the rest for each other */
    if (last_two != SHMEM_TEAM_INVALID) shmem_team_sync(last_two);
    shmem_barrier_all();
  }
  if (is(how, "other-group")) { /* as a shell with job control does */
    const pid_t child = fork();
    if (child == 0) hang();
    setpgid(child, child);
    setpgid(0, child);
    hang();
  }
  if (is(how, "first-exits") && shmem_my_pe() == 0) {
    usleep(300 * 1000);
    stamp();
    exit(3);
  }
  if (is(how, "sleep") || is(how, "first-exits")) hang();
  if (is(how, "compute"))
    for (volatile unsigned long i = 0;; ++i) {
    }
  if (is(how, "quit")) exit(0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* pe = getenv("WEFT_PE");
  const char* pes = getenv("WEFT_NPES");
  const int is_last = pe != NULL && pes != NULL && atoi(pe) == atoi(pes) - 1;
  if (is_last && (is(argv[2], "noinit") || is(argv[2], "noinit3"))) {
    usleep(100 * 1000);
    stamp();
    return is(argv[2], "noinit") ? 0 : 3;
  }
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  if (is(argv[1], "lock") && me == n - 1) shmem_set_lock(&lock);
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backwards) != 0) return 4;
  if (n > 1 && shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 2, 1, 2, NULL, 0, &last_two) != 0) return 4;
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
