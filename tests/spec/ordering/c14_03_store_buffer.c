/* Point 14.3: the store-buffer litmus. Two PEs write their own word on the other side, call quiet, then read the other's
 * word: since both writes were complete before the reads, at least one of them sees the other's. Many rounds, with puts
 * and gets, with AMOs, and with plain stores through shmem_ptr, where only a full fence in quiet keeps the promise.
 * PEs play in pairs; an odd one out sits in the barrier. */
#include "check.h"

enum { kRounds = 300, kWays = 4 };

struct Pair {
  long mine;
  char apart[120];
};
/* word r % 2, so that a round never meets the one before */
static struct Pair* g_word;
static long* g_seen; /* what each PE saw, by round */
static long g_meet;

/* Both sides wait here, so that they leave at nearly the same time. */
static void meet(int partner, long r) {
  shmem_long_p(&g_meet, r, partner);
  shmem_quiet();
  shmem_long_wait_until(&g_meet, SHMEM_CMP_GE, r);
}

/* Each one's word lies on the partner; the partner's word lies here, and is read on the partner's behalf by a get of own
 * memory or a load. */
static long write_then_read(int way, int partner, struct Pair* word, long r) {
  long* direct;
  switch (way) {
    case 0:
      shmem_long_p(&word->mine, r, partner);
      shmem_quiet();
      return shmem_long_g(&word->mine, check_me);
    case 1:
      shmem_long_atomic_set(&word->mine, r, partner);
      shmem_quiet();
      return shmem_long_atomic_fetch(&word->mine, check_me);
    case 2:
      shmem_long_put_nbi(&word->mine, &r, 1, partner);
      shmem_quiet();
      return *(volatile long*)&word->mine;
    default:
      direct = (long*)shmem_ptr(&word->mine, partner);
      *(volatile long*)direct = r;
      shmem_quiet();
      return *(volatile long*)&word->mine;
  }
}

int main(void) {
  int partner;
  check_begin();
  g_word = shmem_calloc(2, sizeof *g_word);
  g_seen = shmem_calloc(kWays * kRounds + 1, sizeof *g_seen);
  REQUIRE(g_word && g_seen, "no memory");
  partner = check_me ^ 1;
  if (partner < check_n)
    for (long r = 1; r <= kWays * kRounds; ++r) {
      meet(partner, r);
      g_seen[r] = write_then_read((int)(r % kWays), partner, &g_word[r % 2], r);
    }
  shmem_barrier_all();
  if (partner < check_n && check_me < partner)
    for (long r = 1; r <= kWays * kRounds; ++r) {
      const long theirs = shmem_long_g(&g_seen[r], partner);
      CHECK(g_seen[r] == r || theirs == r, "round %ld, way %ld: neither saw the other's write (%ld, %ld)", r, r % kWays,
            g_seen[r], theirs);
    }
  shmem_barrier_all();
  shmem_free(g_seen);
  shmem_free(g_word);
  return check_end();
}
