/* Point 10.4: after put_signal returns the source is free; of put_signal_nbi after quiet; quiet completes the signal
 * too, so that a third PE sees signal and data; fence orders whole put_signals on the same target. */
#include "check.h"

enum { kWords = 1500, kRounds = 30 };

static long g_data[kWords];
static uint64_t g_signal, g_second;
static long g_token;

static void source_is_free(long* source) {
  const int to = check_right(1), from = check_right(-1);
  for (int nbi = 0; nbi < 2; ++nbi) {
    for (int i = 0; i < kWords; ++i) source[i] = check_me * 10000L + nbi * 5000 + i;
    if (nbi) {
      shmem_long_put_signal_nbi(g_data, source, kWords, &g_signal, 1, SHMEM_SIGNAL_ADD, to);
      shmem_quiet();
    } else {
      shmem_long_put_signal(g_data, source, kWords, &g_signal, 1, SHMEM_SIGNAL_ADD, to);
    }
    memset(source, 0xFF, kWords * sizeof *source);
    shmem_signal_wait_until(&g_signal, SHMEM_CMP_EQ, (uint64_t)nbi + 1);
    for (int i = kWords - 1; i >= 0; --i)
      if (g_data[i] != from * 10000L + nbi * 5000 + i) {
        CHECK_EQ(g_data[i], from * 10000L + nbi * 5000 + i, "%s, element %d", nbi ? "nbi" : "blocking", i);
        break;
      }
    shmem_barrier_all();
  }
}

/* PE 0 puts with a signal to PE 1, calls quiet, tells the last PE, which reads PE 1. */
static void third_party(long* source) {
  long seen[kWords];
  const int middle = 1 % check_n, last = check_n - 1;
  for (long r = 1; r <= kRounds; ++r) {
    if (check_me == 0) {
      for (int i = 0; i < kWords; ++i) source[i] = r * 2000 + i;
      if (r % 2)
        shmem_long_put_signal_nbi(g_data, source, kWords, &g_second, (uint64_t)r, SHMEM_SIGNAL_SET, middle);
      else
        shmem_long_put_signal(g_data, source, kWords, &g_second, (uint64_t)r, SHMEM_SIGNAL_SET, middle);
      shmem_quiet();
      shmem_long_p(&g_token, r, last);
    }
    if (check_me == last) {
      shmem_long_wait_until(&g_token, SHMEM_CMP_GE, r);
      CHECK_EQ(shmem_uint64_atomic_fetch(&g_second, middle), r, "signal after quiet, seen by a third PE");
      shmem_long_get(seen, g_data, kWords, middle);
      for (int i = 0; i < kWords; ++i)
        if (seen[i] != r * 2000 + i) {
          CHECK_EQ(seen[i], r * 2000 + i, "data after quiet, seen by a third PE, element %d", i);
          break;
        }
    }
    shmem_barrier_all();
  }
}

/* Two fenced put_signals: the second signal shows the first one and its data. */
static void fenced(long* source) {
  const int to = check_right(1), from = check_right(-1);
  g_signal = g_second = 0;
  memset(g_data, 0, sizeof g_data);
  shmem_barrier_all();
  for (long r = 1; r <= kRounds; ++r) {
    for (int i = 0; i < kWords; ++i) source[i] = check_me * 100000L + r * 2000 + i;
    shmem_long_put_signal_nbi(g_data, source, kWords, &g_signal, (uint64_t)r, SHMEM_SIGNAL_SET, to);
    shmem_fence();
    shmem_long_put_signal(g_data, source, 0, &g_second, (uint64_t)r, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(&g_second, SHMEM_CMP_EQ, (uint64_t)r);
    CHECK_EQ(shmem_signal_fetch(&g_signal), r, "the first signal, once the second is there");
    CHECK_EQ(g_data[kWords - 1], from * 100000L + r * 2000 + kWords - 1, "data of the first, once the second is there");
    shmem_barrier_all();
  }
}

int main(void) {
  static long source[kWords];
  check_begin();
  STEP("source");
  source_is_free(source);
  STEP("third party");
  third_party(source);
  STEP("fence");
  fenced(source);
  return check_end();
}
