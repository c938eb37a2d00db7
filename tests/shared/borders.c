/* What neighbours read of each other in each step, of two arrays by turns: the values are right, and between hosts each
 * page is waited for once; while nothing changes nothing travels.
 *
 * usage: shared_borders [counts]   counts: each PE is on a host of its own, so looks at that as well */
#include <string.h>

#include "check.h"

enum { kSteps = 40, kEarly = 5, kApart = 4 * 1024 }; /* so that no page comes with another one */

static int g_me, g_n;

static weft_shared_stats_t stats(void) {
  weft_shared_stats_t now;
  weft_shared_stats(&now);
  return now;
}

static int* part(int* all, int pe) { return all + (size_t)(pe % g_n) * kApart; }

/* Adds 1 in each step, or 0. What came by faults in the first steps, and at barriers in the last ones. */
static void steps(int* all, int adds, uint64_t came[2]) {
  int *from = all, *to = all + (size_t)g_n * kApart;
  *part(from, g_me) = *part(to, g_me) = 7;
  weft_shared_barrier();
  const weft_shared_stats_t begin = stats();
  weft_shared_stats_t middle = begin;
  for (int k = 0; k < kSteps; ++k) {
    if (k == kEarly) {
      middle = stats();
      came[0] = middle.fetched - begin.fetched;
    }
    CHECK(*part(from, g_me + 1) == 7 + k * adds);
    *part(to, g_me) = *part(from, g_me) + adds;
    weft_shared_barrier();
    int* const other = from;
    from = to;
    to = other;
  }
  const weft_shared_stats_t end = stats();
  came[1] = end.fetched + end.refreshed - middle.fetched - middle.refreshed;
}

int main(int argc, char** argv) {
  weft_shared_init();
  g_me = weft_shared_my_pe();
  g_n = weft_shared_n_pes();
  const int counts = argc > 1 && strcmp(argv[1], "counts") == 0;
  const size_t bytes = 2 * sizeof(int) * kApart * (size_t)g_n;
  for (int adds = 0; adds < 2; ++adds) {
    int* const all = weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
    uint64_t came[2];
    steps(all, adds, came);
    if (counts) {
      printf("PE %d: adding %d: %d, then %d\n", g_me, adds, (int)came[0], (int)came[1]);
      /* A page of each array, and one more if a beat came in between. (Where values change, which pages are read is
       * looked at now and then by leaving them out.) */
      CHECK(adds != 0 || (came[0] <= 3 && came[1] < kSteps / 4));
    }
    weft_shared_barrier();
  }
  weft_shared_finalize();
  return 0;
}
