/* An array of which no PE has room for all: four times what WEFT_SHARED_CACHE gives to copies. Each PE adds to its part
 * and then looks at all of it, as though it were there. */
#include <stdio.h>
#include <stdlib.h>
#include <weft/shared.h>

enum { kBytes = 4 << 20, kCount = kBytes / sizeof(double) };

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  double* a = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, kBytes) : NULL);
  if (a == NULL) {
    return 1;
  }
  /* The first that writes a page is its home. */
  for (long i = (long)me * kCount / n; i < (long)(me + 1) * kCount / n; ++i) {
    a[i] = (double)i;
  }
  weft_shared_barrier();
  double sum = 0;
  for (long i = 0; i < kCount; ++i) {
    sum += a[i];
  }
  weft_shared_stats_t stats;
  weft_shared_stats(&stats);
  if (me == 0) {
    printf("the sum is %.0f\n", sum);
    fprintf(stderr, "%lu pages came, and %lu of them have memory here\n", (unsigned long)stats.fetched,
            (unsigned long)stats.copies);
  }
  weft_shared_finalize();
  return 0;
}
