/* A program that loads the library when it is running already, as Python does, with threads that write to its static
 * data all the while. It is not linked with the library.
 *   late LIBRARY count    no store is lost, and the heap and collectives work
 *   late LIBRARY alone    the same with no other thread when the library is loaded, where static data is symmetric
 *   late LIBRARY even     threads in PEs of even numbers only; these have no symmetric static data
 *   late LIBRARY put      a put to static data
 *   late LIBRARY fork     a forked child's
 *   late LIBRARY ended    the library is loaded by a thread that ends, and later the last PE becomes another program
 *   late LIBRARY lasting  the same with a thread that stays */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 3, kBytes = 32 << 20 };

/* Large, and filled, so that moving it takes a while. The counters lie before and behind it. */
static struct {
  volatile long first[kThreads];
  char between[kBytes];
  volatile long last[kThreads];
} data;

static long counted[kThreads];
static int stop;
static int started;

static void* count(void* number) {
  const long k = (long)number;
  long mine = 0;
  __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    data.first[k]++;
    data.last[k]++;
    mine++;
  }
  counted[k] = mine;
  return NULL;
}

static void* library;

static void* function(const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(3);
  }
  return found;
}
#define CALL(type, name, ...) ((type)function(#name))(__VA_ARGS__)
typedef void (*nothing)(void);
typedef int (*number)(void);

static int counts_are_right(void) {
  int right = 1;
  for (int k = 0; k < kThreads; k++) {
    right &= data.first[k] == counted[k] && data.last[k] == counted[k];
    if (!right) fprintf(stderr, "%ld and %ld of %ld stores are left\n", data.first[k], data.last[k], counted[k]);
  }
  return right;
}

static int works(int me, int n, int symmetric_pes) {
  int right = 1;
  int reachable = 0;
  long* all = CALL(void* (*)(size_t), shmem_malloc, ((size_t)n + 1) * sizeof *all);
  for (int pe = 0; pe < n; pe++) {
    CALL(void (*)(long*, long, int), shmem_long_p, &all[me], 100 + me, pe);
    reachable += CALL(int (*)(const void*, int), shmem_addr_accessible, counted, pe);
  }
  CALL(nothing, shmem_barrier_all);
  CALL(int (*)(void*, long*, const long*, size_t), shmem_long_sum_reduce, function("weft_team_world"), all + n,
       &all[me], 1);
  right &= all[n] == 100L * n + (long)n * (n - 1) / 2;
  if (reachable != symmetric_pes) fprintf(stderr, "static data of %d PEs, not %d\n", reachable, symmetric_pes);
  return right && reachable == symmetric_pes;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void* load(void* words) {
  char** argv = words;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  __atomic_store_n(&started, 1, __ATOMIC_RELEASE);
  if (strcmp(argv[2], "lasting") == 0) pthread_mutex_lock(&held); /* for ever */
  return NULL;
}

static int become_another(char** argv) {
  pthread_t loader;
  pthread_mutex_lock(&held);
  pthread_create(&loader, NULL, load, argv);
  if (strcmp(argv[2], "ended") == 0) pthread_join(loader, NULL);
  while (!__atomic_load_n(&started, __ATOMIC_ACQUIRE)) usleep(100);
  if (library == NULL) return 3;
  CALL(nothing, shmem_init);
  usleep(1500 * 1000); /* what the end of the thread looks like has been looked at, and is nothing */
  CALL(nothing, shmem_barrier_all);
  printf("PE %d goes on\n", CALL(number, shmem_my_pe));
  fflush(stdout);
  if (CALL(number, shmem_my_pe) == CALL(number, shmem_n_pes) - 1) execl("/bin/sleep", "sleep", "1000", NULL);
  CALL(nothing, shmem_barrier_all);
  return 4;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* what = argv[2];
  if (strcmp(what, "ended") == 0 || strcmp(what, "lasting") == 0) return become_another(argv);
  const char* pe = getenv("WEFT_PE");
  const int threads = strcmp(what, "alone") != 0 && (strcmp(what, "even") != 0 || atoi(pe) % 2 == 0);
  pthread_t ids[kThreads];
  memset(data.between, 1, sizeof data.between);
  for (long k = 0; threads && k < kThreads; k++) pthread_create(&ids[k], NULL, count, (void*)k);
  while (threads && __atomic_load_n(&started, __ATOMIC_RELAXED) < kThreads) usleep(100);
  library = dlopen(argv[1], RTLD_NOW | (strcmp(what, "count") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int k = 0; threads && k < kThreads; k++) pthread_join(ids[k], NULL);
  CALL(nothing, shmem_init);
  const int me = CALL(number, shmem_my_pe);
  const int n = CALL(number, shmem_n_pes);
  int right = counts_are_right();
  if (strcmp(what, "put") == 0 && me == 0) CALL(void (*)(long*, long, int), shmem_long_p, counted, 1, n - 1);
  if (strcmp(what, "fork") == 0) {
    int status = 1;
    if (fork() == 0) _exit(counts_are_right() ? 0 : 1);
    right &= wait(&status) > 0 && status == 0;
  }
  if (strcmp(what, "even") == 0) {
    right &= works(me, n, me % 2 == 0 ? 0 : n / 2);
    if (me == 1) CALL(void (*)(long*, long, int), shmem_long_p, counted, 1, 0);
  } else {
    right &= works(me, n, threads && n > 1 ? 0 : n); /* one PE alone moves nothing */
  }
  CALL(nothing, shmem_barrier_all);
  CALL(nothing, shmem_finalize);
  printf("PE %d of %d, %s\n", me, n, right ? "right" : "wrong");
  return !right;
}
