/* What neighbours read of each other in each step, of two arrays by turns: the values are right, and between hosts
 * nothing travels any more, after a few steps, while nothing changes.
 *
 * usage: shared_borders [counts]   counts: each PE is on a host of its own, so looks at that as well */
#include <string.h>

#include "check.h"

enum {
  kSteps = 40,
  kStepsCounted = 200,
  kQuiet = 20,
  kApart = 4 * 1024 /* so that no page comes with another one */
};

static int g_me, g_n;

static weft_shared_stats_t stats(void) {
  weft_shared_stats_t now;
  weft_shared_stats(&now);
  return now;
}

static int* part(int* all, int pe) { return all + (size_t)(pe % g_n) * kApart; }

/* Adds 1 in each step, or 0. In how many steps running nothing came, at most. */
static int steps(int* all, int adds, int steps) {
  int *from = all, *to = all + (size_t)g_n * kApart;
  *part(from, g_me) = *part(to, g_me) = 7;
  weft_shared_barrier();
  int quiet = 0, most = 0;
  for (int k = 0; k < steps; ++k) {
    const weft_shared_stats_t begin = stats();
    CHECK(*part(from, g_me + 1) == 7 + k * adds);
    *part(to, g_me) = *part(from, g_me) + adds;
    weft_shared_barrier();
    int* const other = from;
    from = to;
    to = other;
    const weft_shared_stats_t end = stats();
    quiet = end.fetched + end.refreshed == begin.fetched + begin.refreshed ? quiet + 1 : 0;
    most = quiet > most ? quiet : most;
  }
  return most;
}

int main(int argc, char** argv) {
  weft_shared_init();
  g_me = weft_shared_my_pe();
  g_n = weft_shared_n_pes();
  const int counts = argc > 1 && strcmp(argv[1], "counts") == 0;
  const size_t bytes = 2 * sizeof(int) * kApart * (size_t)g_n;
  for (int adds = 0; adds < 2; ++adds) {
    int* const all = weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
    const int quiet = steps(all, adds, counts ? kStepsCounted : kSteps);
    if (counts) {
      printf("PE %d: adding %d: nothing came in %d steps running\n", g_me, adds, quiet);
      /* Beats of busy machines come in between; they do not in all of so many steps. */
      CHECK(adds != 0 || quiet >= kQuiet);
    }
    weft_shared_barrier();
  }
  weft_shared_finalize();
  return 0;
}
