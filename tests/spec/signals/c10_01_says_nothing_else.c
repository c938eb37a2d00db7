/* Point 10.1, the other half: a signal speaks for its own data only. Earlier puts need a fence before the put_signal;
 * with it they are visible too. Long data, so that a signal that runs ahead is caught. */
#include "together.h"

enum { kWords = 20000, kRounds = 90 };

static long g_early[kWords];
static long g_late[kWords];
static uint64_t g_signal, g_through;

static void round_of(long* source, uint64_t r, int nbi) {
  const int to = check_right(1), from = check_right(-1);
  const size_t n = r % 3 == 0 ? 1 : r % 3 == 1 ? 700 : kWords;
  for (size_t i = 0; i < n; ++i) source[i] = check_me * 1000000L + (long)r * 30000 + (long)i;
  if (nbi)
    shmem_long_put_nbi(g_early, source, n, to);
  else
    shmem_long_put(g_early, source, n, to);
  shmem_fence();
  if (nbi)
    shmem_long_put_signal_nbi(g_late, source, n, &g_signal, 1, SHMEM_SIGNAL_ADD, to);
  else
    shmem_long_put_signal(g_late, source, n, &g_signal, 1, SHMEM_SIGNAL_ADD, to);
  shmem_signal_wait_until(&g_signal, SHMEM_CMP_GE, r);
  for (size_t i = n; i-- > 0;) { /* from the end, which is written last */
    const long expect = from * 1000000L + (long)r * 30000 + (long)i;
    if (g_late[i] == expect && g_early[i] == expect) continue;
    CHECK_EQ(g_late[i], expect, "data of the signal, element %zu of %zu in round %llu", i, n, (unsigned long long)r);
    CHECK_EQ(g_early[i], expect, "data put before the fence, element %zu of %zu", i, n);
    break;
  }
  shmem_quiet(); /* the source is ours again */
  shmem_signal_add(&g_through, 1, from);
  shmem_signal_wait_until(&g_through, SHMEM_CMP_GE, r);
}

/* One way only: the odd PEs do nothing but look at the signal, so that they see it the moment it comes. */
static void one_way(long* source) {
  const int partner = check_me ^ 1;
  if (partner >= check_n) return;
  for (uint64_t r = 1; r <= kRounds; ++r) {
    if (check_me % 2 == 0) {
      for (size_t i = 0; i < kWords; ++i) source[i] = (long)r * 30000 + (long)i;
      check_jitter(5000); /* the partner looks by now */
      if (r % 2)
        shmem_long_put_signal(g_late, source, kWords, &g_signal, r, SHMEM_SIGNAL_SET, partner);
      else
        shmem_putmem_signal_nbi(g_late, source, sizeof g_late, &g_signal, 1, SHMEM_SIGNAL_ADD, partner);
      shmem_quiet();
      shmem_signal_wait_until(&g_through, SHMEM_CMP_EQ, r);
    } else {
      while (shmem_signal_fetch(&g_signal) != r)
        if (check_n > 2) sched_yield();
      for (size_t i = kWords; i-- > 0;)
        if (g_late[i] != (long)r * 30000 + (long)i) {
          CHECK_EQ(g_late[i], (long)r * 30000 + (long)i, "one way: element %zu in round %llu", i,
                   (unsigned long long)r);
          break;
        }
      shmem_signal_add(&g_through, 1, partner);
    }
  }
}

int main(void) {
  static long source[kWords];
  check_begin();
  STEP("one way");
  one_way(source);
  shmem_barrier_all();
  g_signal = g_through = 0;
  shmem_barrier_all();
  STEP("ring");
  for (uint64_t r = 1; r <= kRounds; ++r) round_of(source, r, (int)(r / 3 % 2));
  return check_end();
}
