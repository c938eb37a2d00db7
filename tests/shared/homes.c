/* Homes of pages that have contents: moved to and fro at barriers, they keep them. Prefetching brings pages without
 * faults. */
#include "check.h"

enum { kPages = 96, kInts = kPages * 1024 };

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  int* all = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, sizeof(int) * kInts) : NULL);
  if (me == 0) {
    for (int k = 0; k < kInts - 8192; ++k) {
      all[k] = k;
    }
  }
  weft_shared_barrier();
  int added = 0;
  for (int round = 0; round < 12; ++round) {
    for (int k = me * 7; k < kInts - 8192; k += 7 * n) {
      ++all[k];
    }
    const size_t bytes = sizeof(int) * kInts;
    switch (round % 4) {
      case 0: weft_shared_map(all, bytes, (bytes + (size_t)n - 1) / (size_t)n, 0, n); break;
      case 1: weft_shared_map(all, bytes, 4096, 0, n); break;
      case 2: weft_shared_map(all, bytes, bytes, n - 1, 1); break;
      default: weft_shared_map(all + 1024 * round, 4096 * 10, 8192, 0, n); break;
    }
    ++added;
    for (int k = 0; k < kInts - 8192; ++k) {
      CHECK(all[k] == k + (k % 7 == 0 ? added : 0));
    }
    weft_shared_barrier();
  }
  for (int k = kInts - 8192; k < kInts; ++k) {
    CHECK(all[k] == 0);
  }

  /* Another one's pages come together. */
  weft_shared_map(all, sizeof(int) * kInts, sizeof(int) * kInts, 0, 1);
  weft_shared_stats_t before, after;
  weft_shared_stats(&before);
  if (me == 1) {
    weft_shared_prefetch(all, sizeof(int) * kInts);
    weft_shared_stats(&after);
    CHECK(after.prefetched == 0 || after.prefetched == kPages);
    before = after;
    long sum = 0;
    for (int k = 0; k < kInts; ++k) {
      sum += all[k];
    }
    weft_shared_stats(&after);
    CHECK(sum > 0 && after.faults == before.faults);
  }
  weft_shared_barrier();

  /* One PE's pages come to all; what has changed since is kept up to date, or comes by faults, as is said. */
  weft_shared_stats_t start;
  uint64_t brought = 0;
  for (int round = 0; round < 4; ++round) {
    if (me == 0) {
      for (int k = 0; k < kInts; ++k) {
        all[k] = k + round;
      }
    }
    weft_shared_stats(&start);
    weft_shared_broadcast(all, sizeof(int) * kInts);
    weft_shared_stats(&before);
    brought += before.prefetched - start.prefetched;
    for (int k = 0; k < kInts; ++k) {
      CHECK(all[k] == k + round);
    }
    weft_shared_barrier();
  }
  CHECK(me < 2 || brought >= kPages || before.faults == 0);
  for (int how = WEFT_SHARED_LEARNED; how <= WEFT_SHARED_UPDATE; ++how) {
    weft_shared_protocol(all, sizeof(int) * kInts, how);
    weft_shared_barrier();
    uint64_t fetched = 0, reads = 0;
    for (int round = 0; round < 6; ++round) {
      if (me == 0) {
        for (int k = 0; k < kInts; k += 1024) {
          ++all[k];
        }
      }
      weft_shared_barrier();
      weft_shared_stats(&before);
      for (int k = 0; k < kInts; k += 1024) {
        CHECK(all[k] == k + 3 + 6 * (how - WEFT_SHARED_LEARNED) + round + 1);
      }
      weft_shared_stats(&after);
      fetched += after.fetched - before.fetched, reads += kPages;
      weft_shared_barrier();
    }
    if (me != 0 && after.twins + after.fetched > 0) {
      CHECK(how != WEFT_SHARED_INVALIDATE || fetched >= reads);
      CHECK(how != WEFT_SHARED_UPDATE || fetched < reads / 2);
    }
  }
  weft_shared_finalize();
  return 0;
}
