/* Programs that hang or crash, each in its own way:
 *   hang <how>
 * The tests look for the lines marked below. */
#include <assert.h>
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long flag;
static long lock_a, lock_b;
static long source[4], dest[4];
static long psync[SHMEM_BARRIER_SYNC_SIZE];
static long x; /* a name that stands for a type of C++ */
static int ready[20];
static const int some[20] = {[3] = 1, [4] = 1}; /* these do not count */

static int is(const char* a, const char* b) { return strcmp(a, b) == 0; }

static void wait_for_neighbour(int* counter) { shmem_int_wait_until(counter, SHMEM_CMP_GE, 3); /* neighbour */ }

static __attribute__((noinline)) void barrier(void) {
  shmem_barrier_all(); /* barrier */
  __asm__ volatile("");
}

static __attribute__((noinline)) void compute(void) {
  for (volatile int k = 0; k < 1000000;) ++k; /* loop */
}

/* Writes 1,000,000,000 to wherever a wait's record has a number of members: in all of the job's control memory after
 * the header what is 3, the number of PEs. */
static void stray(void) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  unsigned long low = 0, high = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "/memfd:weft-control") != NULL) sscanf(line, "%lx-%lx", &low, &high);
  }
  fclose(maps);
  sleep(1); /* the others wait by now */
  for (unsigned* word = (unsigned*)(low + 128); word < (unsigned*)(low + 3 * 1408); ++word) {
    if (*word == 3) *word = 1000000000;
  }
  for (;;) pause();
}

static void hang(const char* how, int me) {
  shmem_team_t pair;
  if (is(how, "value")) {
    if (me == 1) shmem_long_wait_until(&flag, SHMEM_CMP_GE, 3); /* value */
  } else if (is(how, "value-alone")) {
    flag = 7;
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, 9); /* alone */
  } else if (is(how, "heap")) {
    int* counters = shmem_malloc(400); /* block */
    counters[16] = -2;
    if (me == 1) wait_for_neighbour(counters + 16);
  } else if (is(how, "x")) {
    if (me == 0) shmem_long_wait_until(&x, SHMEM_CMP_NE, 0);
  } else if (is(how, "all")) {
    for (int k = 0; k < 20; ++k) ready[k] = k != 5 && (k < 9 || k > 12);
    if (me == 0) shmem_int_wait_until_all(ready, 20, some, SHMEM_CMP_EQ, 1);
  } else if (is(how, "some")) {
    size_t found[20];
    if (me == 0) shmem_int_wait_until_some(ready, 20, found, some, SHMEM_CMP_EQ, 1);
  } else if (is(how, "fewer")) {
    for (int k = 0; k < 5 + (me != 1); ++k) barrier();
    if (me == 1) shmem_finalize(), exit(0);
  } else if (is(how, "stray")) {
    if (me == 1) stray();
  } else if (is(how, "compute")) {
    while (me == 1) compute(); /* compute */
  } else if (is(how, "calls")) {
    if (me == 0) {
      shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1); /* reduce */
    } else {
      shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 1, 0); /* broadcast */
      flag = 1; /* or compilers make one call of this and the next one */
    }
  } else if (is(how, "roots")) {
    shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, me == 0); /* root */
  } else if (is(how, "sets")) {
    shmem_barrier(0, 0, me == 0 ? 2 : 3, psync); /* set */
  } else if (is(how, "locks")) {
    shmem_set_lock(me % 2 ? &lock_a : &lock_b);
    shmem_barrier_all();
    shmem_set_lock(me % 2 ? &lock_b : &lock_a); /* lock */
  } else if (is(how, "relock")) {
    if (me == 0) {
      shmem_set_lock(&lock_a);
      shmem_set_lock(&lock_a); /* again */
    }
  } else if (is(how, "teams")) {
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &pair);
    if (me == 0) shmem_team_sync(pair); /* pair */
  } else if (is(how, "stop")) {
    if (me == 1) kill(getpid(), SIGSTOP);
  }
  barrier();
  if (is(how, "teams") && me == 1) shmem_team_sync(pair);
}

/* Volatile: a compiler may take what reads null for what is never reached. */
static __attribute__((noinline)) long sum(const volatile long* numbers, int n) {
  return n == 0 ? *numbers : sum(numbers, n - 1) + 1; /* sum */
}

static void crash(const char* how, int me) {
  volatile int zero = 0;
  long on_stack = me;
  if (is(how, "crash-null")) flag = sum(NULL, 2);              /* null */
  if (is(how, "crash-abort")) abort();                         /* abort */
  if (is(how, "crash-assert")) assert(me == 0);                /* assert */
  if (is(how, "crash-divide")) flag = 5 / zero;                /* divide */
  if (is(how, "crash-private")) shmem_long_p(&on_stack, 1, 0); /* private */
  if (is(how, "crash-pe")) shmem_putmem(dest, source, 8, 77);  /* pe */
  if (is(how, "crash-lock")) shmem_clear_lock(&lock_a);        /* clear */
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  shmem_init();
  const int me = shmem_my_pe();
  if (strncmp(how, "crash", 5) != 0) hang(how, me);
  shmem_barrier_all();
  if (me == shmem_n_pes() - 1 || strstr(how, "-all") != NULL) crash(strcmp(how, "crash-all") ? how : "crash-null", me);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
