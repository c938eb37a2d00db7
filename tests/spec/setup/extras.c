/* What other libraries have too: the clock, a second name of shmem_pcontrol, and macros that tell whose library this
 * is. */
#include "../check.h"

#include <shmemx.h>

#if !defined(WEFT_SHMEM) || !defined(HAVE_SHMEMX_WTIME) || \
    WEFT_MAJOR_VERSION * 10000 + WEFT_MINOR_VERSION * 100 + WEFT_PATCH_VERSION < 100
#error "macros that must do in #if"
#endif

static double theirs;

int main(void) {
  const double before = shmemx_wtime();
  CHECK(before > 0, "before shmem_init: %f", before);
  check_begin();
  shmemx_pcontrol(0);
  shmemx_pcontrol(2, "anything", 3.0);

  const double start = shmemx_wtime();
  check_sleep_ms(30);
  const double took = shmemx_wtime() - start;
  CHECK(start >= before && took >= 0.030, "30 ms lasted %f s", took);
  double last = start;
  for (int k = 0; k < 100000; ++k) {
    const double now = shmemx_wtime();
    CHECK(now >= last, "the clock went back: %.9f after %.9f", now, last);
    last = now;
  }

  /* One clock for all: what comes after a barrier is later than what came before it, whoever asks. */
  shmem_double_p(&theirs, shmemx_wtime(), (check_me + 1) % check_n);
  shmem_barrier_all();
  const double now = shmemx_wtime();
  CHECK(theirs > before && theirs <= now, "a neighbour's time %.9f, then mine %.9f", theirs, now);
  char vendor[64];
  snprintf(vendor, sizeof vendor, "Weft %d.%d.%d", WEFT_MAJOR_VERSION, WEFT_MINOR_VERSION, WEFT_PATCH_VERSION);
  CHECK(strcmp(vendor, SHMEM_VENDOR_STRING) == 0, "%s is not %s", vendor, SHMEM_VENDOR_STRING);
  return check_end();
}
