/* Point 8.2: a non-blocking put arrives although nobody calls quiet or anything else afterwards, and a fence does not
 * give the source back (so the test leaves it alone until quiet). The initiator computes on plain memory until the
 * target has answered. */
#include "check.h"

enum { kWords = 2000, kRounds = 20 };

static long g_data[kWords];
static long g_answer;

static void round_of(int r, const long* source) {
  const int to = check_right(1), from = check_right(-1);
  volatile long* const answer = &g_answer;
  const volatile long* const last = &g_data[kWords - 1];
  shmem_long_put_nbi(g_data, source, kWords, to);
  if (r % 2) shmem_fence();
  /* No call of the library until the data of our own writer is there. */
  while (*last != from * 1000000L + r * 10000L + kWords - 1) check_sleep_ms(0);
  /* Elements may arrive in any order: wait for each, never assume. */
  for (int i = 0; i < kWords; ++i)
    while (((volatile long*)g_data)[i] != from * 1000000L + r * 10000L + i) check_sleep_ms(0);
  shmem_long_p(&g_answer, r + 1, from);
  while (*answer != r + 1) check_sleep_ms(0);
  shmem_barrier_all();
}

int main(void) {
  static long source[2][kWords];
  check_begin();
  for (int r = 0; r < kRounds; ++r) {
    for (int i = 0; i < kWords; ++i) source[r % 2][i] = check_me * 1000000L + r * 10000L + i;
    round_of(r, source[r % 2]);
  }
  CHECK_EQ(g_answer, kRounds, "the last answer");
  return check_end();
}
