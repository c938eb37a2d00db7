/* Point 14.5: fence and quiet of the writer do not order the reads of the target; it asks with wait, test or barrier.
 * After each of these its plain loads, even of values it has loaded before, are fresh. Also fence and quiet with
 * nothing pending, many in a row. */
#include "check.h"

enum { kWords = 64, kRounds = 200 };

static long g_data[kWords], g_flag, g_ack;

static long sum_of_data(void) {
  long sum = 0;
  for (int i = 0; i < kWords; ++i) sum += g_data[i];
  return sum;
}

int main(void) {
  long source[kWords];
  long stale = 0;
  check_begin();
  for (int i = 0; i < 1000; ++i) {
    shmem_fence();
    shmem_quiet();
    shmem_ctx_fence(SHMEM_CTX_DEFAULT);
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);
  }
  for (long r = 1; r <= kRounds; ++r) {
    for (int i = 0; i < kWords; ++i) source[i] = r * 10 + check_me;
    shmem_long_put(g_data, source, kWords, check_right(1));
    if (r % 2)
      shmem_fence();
    else
      shmem_quiet();
    shmem_long_p(&g_flag, r, check_right(1));
    switch (r % 3) {
      case 0: shmem_long_wait_until(&g_flag, SHMEM_CMP_GE, r); break;
      case 1:
        while (!shmem_long_test(&g_flag, SHMEM_CMP_GE, r)) check_sleep_ms(0);
        break;
      default: shmem_barrier_all();
    }
    CHECK_EQ(sum_of_data(), kWords * (r * 10 + check_right(-1)), "the data of round %ld", r);
    stale += sum_of_data(); /* loads that the compiler must not reuse in the next round */
    shmem_long_p(&g_ack, r, check_right(-1));
    shmem_long_wait_until(&g_ack, SHMEM_CMP_GE, r);
  }
  shmem_barrier_all();
  CHECK(stale >= 0, "%ld", stale);
  return check_end();
}
