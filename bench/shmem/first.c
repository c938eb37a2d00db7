/* The first figures of Weft: small and large accesses to another PE's heap and static data, a flag that goes to and
 * fro, and the barrier. The loops have the shape of those in bench/limits.
 *
 *   first [--repetitions N] [--ms T] access | pingpong     PE 0 works on PE 1's memory
 *   first [--repetitions N] [--ms T] barrier               all PEs
 */
#include "measure.h"

#include <shmem.h>
#include <stdint.h>
#include <string.h>

#define BLOCK ((size_t)1 << 20)

static int me, n_pes;

struct access {
  long* remote; /* symmetric */
  long* private_memory;
  int pe;
};

static volatile long sink; /* what the loops compute goes here, so that they are not removed */

/* Each loop works on copies of the fields that live in registers. */
#define LOOP(NAME, STATEMENT)                                                \
  __attribute__((noinline)) static void NAME(const void* what, long count) { \
    long* const remote = ((const struct access*)what)->remote;               \
    long* const mine = ((const struct access*)what)->private_memory;         \
    const int pe = ((const struct access*)what)->pe;                         \
    long sum = 0;                                                            \
    for (long i = 0; i < count; i++) {                                       \
      STATEMENT;                                                             \
    }                                                                        \
    sink = sum + (mine != NULL);                                             \
  }

LOOP(p8, shmem_long_p(remote, i, pe))
LOOP(g8, sum += shmem_long_g(remote, pe))
LOOP(put8, shmem_putmem(remote, mine, 8, pe))
LOOP(get8, shmem_getmem(mine, remote, 8, pe))
LOOP(put8_quiet, shmem_long_p(remote, i, pe); shmem_quiet())
LOOP(fetch_add, sum += shmem_long_atomic_fetch_add(remote, 1, pe))
LOOP(put_block, shmem_putmem(remote, mine, BLOCK, pe))
LOOP(get_block, shmem_getmem(mine, remote, BLOCK, pe))

/* The address of each get comes from the one before: the memory holds zeros, which the processor does not know. */
__attribute__((noinline)) static void get8_chain(const void* what, long count) {
  long* at = ((const struct access*)what)->remote;
  const int pe = ((const struct access*)what)->pe;
  for (long i = 0; i < count; i++) at += shmem_long_g(at, pe);
  sink = (long)(intptr_t)at;
}

static void measure_segment(const struct plan* plan, const char* by, struct access a) {
  measure("p8", by, plan, p8, &a);
  measure("g8", by, plan, g8, &a);
  measure("put8", by, plan, put8, &a);
  measure("get8", by, plan, get8, &a);
  measure("put8.quiet", by, plan, put8_quiet, &a);
  measure("fetch_add", by, plan, fetch_add, &a);
  shmem_long_p(a.remote, 0, a.pe);
  measure("get8.chain", by, plan, get8_chain, &a);
  measure("put1M", by, plan, put_block, &a);
  measure("get1M", by, plan, get_block, &a);
}

static char in_static_data[BLOCK] __attribute__((aligned(4096)));

static void measure_access(const struct plan* plan) {
  char* in_heap = shmem_align(4096, BLOCK);
  char* private_memory = aligned_alloc(4096, BLOCK);
  if (!in_heap || !private_memory) shmem_global_exit(1);
  memset(in_heap, 0, BLOCK); /* every PE touches its own memory first */
  memset(in_static_data, 0, BLOCK);
  memset(private_memory, 1, BLOCK);
  shmem_barrier_all();
  if (me == 0) {
    struct access a = {(long*)(void*)in_heap, (long*)(void*)private_memory, 1};
    measure_segment(plan, "weft heap", a);
    a.remote = (long*)(void*)in_static_data;
    measure_segment(plan, "weft static", a);
  }
  shmem_barrier_all();
  free(private_memory);
  shmem_free(in_heap);
}

/* PE 0 tells all others a number. */
static long number __attribute__((aligned(128)));
static long agreed(long of_pe_0) {
  if (me == 0) {
    for (int pe = 0; pe < n_pes; pe++) shmem_long_p(&number, of_pe_0, pe);
  }
  shmem_barrier_all();
  return number;
}

static long flag __attribute__((aligned(128)));

static void rounds(long from, long count) {
  for (long k = from + 1; k <= from + count; k++) {
    if (me == 0) shmem_long_p(&flag, k, 1);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, k);
    if (me == 1) shmem_long_p(&flag, k, 0);
  }
}

static void measure_ping_pong(const struct plan* plan) {
  double ns[MOST_REPETITIONS];
  const long trial = 200;
  shmem_barrier_all();
  if (me < 2) rounds(0, trial);
  double begin = now_ns();
  if (me < 2) rounds(trial, trial);
  long count = agreed(count_for(plan, trial, now_ns() - begin));
  for (int r = 0; me < 2 && r < plan->repetitions; r++) {
    begin = now_ns();
    rounds(2 * trial + r * count, count);
    ns[r] = (now_ns() - begin) / (double)count;
  }
  if (me == 0) print_times("pingpong", "weft heap", 2, ns, plan->repetitions);
  shmem_barrier_all();
}

static void barriers(long count) {
  for (long k = 0; k < count; k++) shmem_barrier_all();
}

static void measure_barrier(const struct plan* plan) {
  double ns[MOST_REPETITIONS];
  const long trial = 20;
  barriers(trial);
  double begin = now_ns();
  barriers(trial);
  long count = agreed(count_for(plan, trial, now_ns() - begin));
  for (int r = 0; r < plan->repetitions; r++) {
    shmem_barrier_all();
    begin = now_ns();
    barriers(count);
    ns[r] = (now_ns() - begin) / (double)count;
  }
  if (me == 0) print_times("barrier", "weft heap", n_pes, ns, plan->repetitions);
}

int main(int argc, char** argv) {
  struct plan plan;
  int at = read_plan(argc, argv, &plan);
  const char* what = at < argc ? argv[at] : "";
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  pin(me);
  int known = 1;
  if (!strcmp(what, "access") && n_pes > 1) {
    measure_access(&plan);
  } else if (!strcmp(what, "pingpong") && n_pes > 1) {
    measure_ping_pong(&plan);
  } else if (!strcmp(what, "barrier")) {
    measure_barrier(&plan);
  } else {
    known = 0;
    if (me == 0) fprintf(stderr, "usage: first [--repetitions N] [--ms T] access | pingpong | barrier\n");
  }
  shmem_finalize();
  return known ? 0 : 2;
}
