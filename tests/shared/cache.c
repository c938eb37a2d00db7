/* More of other PEs' pages than there is room for copies: all is read, all is written, and what has memory here stays
 * bounded. */
#define _DEFAULT_SOURCE
#include "check.h"

#include <string.h>
#include <sys/mman.h>

enum { kPages = 400, kInts = kPages * 1024 };

static size_t bound(void) {
  const char* const said = getenv("WEFT_SHARED_CACHE");
  char* unit = NULL;
  const size_t pages = said == NULL ? 0 : strtoul(said, &unit, 10) * 1024 / 8192;
  return said == NULL ? 0 : pages < 4 ? 4 : pages;
}

/* Pages of the array that have memory in this PE. */
static size_t count_here(int* all) {
  static unsigned char is_here[kPages];
  size_t here = 0;
  CHECK(mincore(all, sizeof is_here * 4096, is_here) == 0);
  for (int k = 0; k < kPages; ++k) {
    here += is_here[k] & 1;
  }
  return here;
}

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  int* all = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, sizeof(int) * kInts) : NULL);
  /* A part is at home at each PE. */
  for (int k = me * (kPages / n) * 1024; k < (me + 1) * (kPages / n) * 1024; ++k) {
    all[k] = k;
  }
  weft_shared_barrier();
  const int used = kPages / n * n * 1024;
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < used; k += 64) {
      CHECK(all[k] == k + round * (k / 64 % 2));
    }
    weft_shared_barrier();
    /* Each PE writes some of each page. */
    for (int k = 64 + 128 * me; k < used; k += 128 * n) {
      ++all[k];
    }
    weft_shared_barrier();
    weft_shared_stats_t stats;
    weft_shared_stats(&stats);
    if (stats.faults > 0 && bound() > 0) {
      CHECK(stats.evicted > 0 && stats.copies <= bound());
      /* Who writes pages one after the other becomes home of up to 64 more; and pages move, as many as there are
       * copies. */
      CHECK(count_here(all) <= 2 * bound() + kPages / n + 64);
    }
    weft_shared_barrier();
    weft_shared_prefetch(all, sizeof(int) * kInts);
    weft_shared_stats(&stats);
    CHECK(bound() == 0 || stats.copies <= bound());
  }
  /* A copy from there to there, by instructions that may need several pages. */
  weft_shared_barrier();
  const int next = (me + 1) % n;
  const size_t part = (size_t)(kPages / n) * 4096;
  char* const other = (char*)all + next * part;
  memcpy(other + 3, other + part / 2 + 1, part / 2 - 8);
  weft_shared_barrier();
  char* const mine = (char*)all + me * part;
  CHECK(memcmp(mine + 3, mine + part / 2 + 1, part / 2 - 8) == 0 || part / 2 % 4 != 0);
  weft_shared_barrier();

  /* Who is home no more has the memory no more. */
  const int last = mine[part - 1];
  weft_shared_map(all, sizeof(int) * kInts, sizeof(int) * kInts, n - 1, 1);
  weft_shared_stats_t stats;
  weft_shared_stats(&stats);
  CHECK(stats.faults == 0 || bound() == 0 || me == n - 1 || count_here(all) <= bound());
  CHECK(mine[part - 1] == last);
  weft_shared_finalize();
  return 0;
}
