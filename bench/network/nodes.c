/* Small operations between PEs of one node: on the first node of a job and on the last one, in turns.
 *
 *   nodes [ROUNDS]        with at least 2 PEs on each of two hosts
 *
 * PE 0 and the last PE work on another PE of their nodes, one after the other in each round. Printed is the least time
 * of each, and their ratio: the inline bodies are the same code on all nodes, so it should be about 1. */
#include "../measure.h"

#include <shmem.h>

enum { kOperations = 40000, kWords = 1024 };

static long words[kWords], mine[kWords];
static int others[kWords]; /* PEs of this node, at random */
static double least[2][64];
static volatile long sink;

#define LOOPS(DO)                                                               \
  DO(p, shmem_long_p(words, i, pe))                                             \
  DO(g, sum += shmem_long_g(words, pe))                                         \
  DO(put, shmem_putmem(words, mine, 8, pe))                                     \
  DO(get, shmem_getmem(mine, words, 8, pe))                                     \
  DO(p_array, shmem_long_p(&words[i % kWords], i, pe))                          \
  DO(g_array, sum += shmem_long_g(&words[i % kWords], pe))                      \
  DO(p_any_pe, shmem_long_p(words, i, others[i % kWords]))                      \
  DO(g_any_pe, sum += shmem_long_g(words, others[i % kWords]))                  \
  DO(put_any_pe, shmem_putmem(words, &mine[i % kWords], 8, others[i % kWords])) \
  DO(get_any_pe, shmem_getmem(&mine[i % kWords], words, 8, others[i % kWords])) \
  DO(fetch_add, sum += shmem_long_atomic_fetch_add(words, 1, pe))               \
  DO(set, shmem_long_atomic_set(words, i, pe))

#define FUNCTION(NAME, STATEMENT)                             \
  __attribute__((noinline)) static void loop_##NAME(int pe) { \
    long sum = 0;                                             \
    for (unsigned i = 0; i < kOperations; i++) {              \
      STATEMENT;                                              \
    }                                                         \
    sink = sum + pe;                                          \
  }
LOOPS(FUNCTION)

#define ENTRY(NAME, STATEMENT) {#NAME, loop_##NAME},
static const struct {
  const char* name;
  void (*run)(int pe);
} loops[] = {LOOPS(ENTRY)};
enum { kLoops = sizeof loops / sizeof loops[0] };

static void measure_one(int loop, int pe, int round, double* result) {
  const double begin = now_ns();
  loops[loop].run(pe);
  const double took = (now_ns() - begin) / kOperations;
  if (round == 0 || took < *result) *result = took;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 50;
  shmem_init();
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  const int here = shmem_team_n_pes(SHMEM_TEAM_SHARED), number = shmem_team_my_pe(SHMEM_TEAM_SHARED);
  const int target = shmem_team_translate_pe(SHMEM_TEAM_SHARED, (number + 1) % here, SHMEM_TEAM_WORLD);
  if (here < 2 || here > last) {
    if (me == 0) fprintf(stderr, "usage: nodes [ROUNDS], with at least 2 PEs on each of two hosts\n");
    shmem_global_exit(2);
  }
  unsigned random = 1;
  for (int k = 0; k < kWords; k++) {
    random = random * 1664525u + 1013904223u;
    others[k] = shmem_team_translate_pe(SHMEM_TEAM_SHARED, (int)(random >> 16) % here, SHMEM_TEAM_WORLD);
  }
  for (int round = 0; round < rounds; round++) {
    for (int turn = 0; turn < 2 * kLoops; turn++) {
      shmem_barrier_all();
      if (me == (turn % 2 == 0 ? 0 : last)) measure_one(turn / 2, target, round, &least[turn % 2][turn / 2]);
    }
  }
  if (me == last) shmem_double_put(least[1], least[1], kLoops, 0);
  shmem_barrier_all();
  for (int k = 0; me == 0 && k < kLoops; k++)
    printf("%-12s %6.2f ns on the first node, %6.2f ns on the last one: %.2f\n", loops[k].name, least[0][k],
           least[1][k], least[1][k] / least[0][k]);
  shmem_finalize();
  return 0;
}
