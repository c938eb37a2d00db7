/* Point 14.3: the store-buffer litmus. Two PEs write their own word on the other side, call quiet, then read the
 * other's word: since both writes were complete before the reads, at least one of them sees the other's. Each meeting
 * sweeps over many words, so that the two are at the same word at the same time now and then; with puts and gets, with
 * AMOs, with nbi puts, and with plain stores through shmem_ptr. PEs play in pairs; an odd one out sits in the barrier.
 */
#include "together.h"

enum { kMeetings = 60, kWays = 4, kSweep = 400 };

static long* g_word; /* kSweep words, written by the partner */
static char* g_seen; /* by meeting and word: 1 when this PE saw the partner's write */
static long g_meet;

/* Both sides wait here, so that they leave at nearly the same time. */
static void meet(int partner, long r) {
  shmem_long_p(&g_meet, r, partner);
  shmem_quiet();
  shmem_long_wait_until(&g_meet, SHMEM_CMP_GE, r);
}

static void sweep(int way, int partner, long r, char* seen) {
  long* const direct = shmem_ptr(g_word, partner);
  const volatile long* const own = g_word;
  for (int k = 0; k < kSweep; ++k) {
    long now;
    switch (way) {
      case 0:
        shmem_long_p(&g_word[k], r, partner);
        shmem_quiet();
        now = shmem_long_g(&g_word[k], check_me);
        break;
      case 1:
        shmem_long_atomic_set(&g_word[k], r, partner);
        shmem_quiet();
        now = shmem_long_atomic_fetch(&g_word[k], check_me);
        break;
      case 2:
        shmem_long_put_nbi(&g_word[k], &r, 1, partner);
        shmem_quiet();
        now = own[k];
        break;
      default:
        ((volatile long*)direct)[k] = r;
        shmem_quiet();
        now = own[k];
    }
    seen[k] = now == r;
  }
}

int main(void) {
  int partner;
  check_begin();
  g_word = shmem_calloc(kSweep, sizeof *g_word);
  g_seen = shmem_calloc((size_t)kWays * kMeetings, kSweep);
  REQUIRE(g_word && g_seen, "no memory");
  REQUIRE(shmem_ptr(g_word, check_n - 1) != NULL, "shmem_ptr of a heap object on one machine");
  partner = check_me ^ 1;
  if (partner < check_n)
    for (int r = 0; r < kWays * kMeetings; ++r) {
      if (check_n == 2)
        check_start_together();
      else
        meet(partner, r + 1);
      check_jitter(500);
      sweep(r % kWays, partner, r + 1, g_seen + (size_t)r * kSweep);
    }
  shmem_barrier_all();
  if (partner < check_n && check_me < partner)
    for (int r = 0; r < kWays * kMeetings; ++r) {
      char theirs[kSweep];
      shmem_getmem(theirs, g_seen + (size_t)r * kSweep, kSweep, partner);
      for (int k = 0; k < kSweep; ++k)
        CHECK(g_seen[(size_t)r * kSweep + (size_t)k] || theirs[k], "meeting %d, way %d, word %d: neither saw the other",
              r, r % kWays, k);
    }
  shmem_barrier_all();
  shmem_free(g_seen);
  shmem_free(g_word);
  return check_end();
}
