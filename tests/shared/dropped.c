/* Pages that are always dropped when they have changed come from another host by faults, and only so: what is received
 * is what was asked for, and little more.
 *
 * usage: shared_dropped, of two PEs, each on a host of its own: counts what its host's network has received */
#include <string.h>

#include "check.h"

enum { kInts = 1024, kPages = 8, kSteps = 100, kPageBytes = 4096 };

static uint64_t received(void) {
  FILE* const file = fopen("/proc/net/dev", "r");
  CHECK(file != NULL);
  char line[512];
  uint64_t sum = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    char name[64];
    unsigned long long bytes = 0;
    if (sscanf(line, " %63[^:]: %llu", name, &bytes) == 2 && strcmp(name, "lo") != 0) {
      sum += bytes;
    }
  }
  fclose(file);
  return sum;
}

/* Every other page, as pages in a row come together. */
static int* word(int* all, int page) { return &all[2 * page * kInts]; }

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe();
  const size_t bytes = (size_t)2 * kPages * kPageBytes;
  int* const all = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(kPageBytes, bytes) : NULL);
  weft_shared_protocol(all, bytes, WEFT_SHARED_INVALIDATE);
  for (int page = 0; me == 0 && page < kPages; ++page) {
    *word(all, page) = 0;
  }
  weft_shared_barrier();
  weft_shared_stats_t begin;
  weft_shared_stats(&begin);
  const uint64_t before = received();
  for (int step = 1; step <= kSteps; ++step) {
    for (int page = 0; me == 0 && page < kPages; ++page) {
      *word(all, page) = step;
    }
    weft_shared_barrier();
    for (int page = 0; me == 1 && page < kPages; ++page) {
      CHECK(*word(all, page) == step);
    }
    weft_shared_barrier();
  }
  if (me == 1) {
    weft_shared_stats_t end;
    weft_shared_stats(&end);
    const uint64_t came = received() - before, fetched = (end.fetched - begin.fetched) * kPageBytes;
    printf("%llu KiB of pages were fetched, and %llu received\n", (unsigned long long)fetched >> 10,
           (unsigned long long)came >> 10);
    CHECK(fetched >= (uint64_t)kSteps * kPages * kPageBytes);
    CHECK(came >= fetched && came < fetched + fetched / 2); /* questions, barriers, acknowledgements */
  }
  weft_shared_barrier();
  weft_shared_finalize();
  return 0;
}
