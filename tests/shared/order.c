/* Who sees what when: behind a barrier, behind a lock, behind release and acquire; and bytes of one page that all
 * write. */
#include "check.h"

enum { kRounds = 50, kBytes = 3 * 4096 };

static void barriers(void) {
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  int* turn = zeros((size_t)n * 1024 * sizeof *turn);
  for (int round = 1; round <= kRounds; ++round) {
    turn[me * 1024] = round;
    turn[(me * 1024 + round) % (n * 1024) / 1024 * 1024 + 1 + me] =
        round; /* in another one's page, a place of its own */
    weft_shared_barrier();
    for (int pe = 0; pe < n; ++pe) {
      CHECK(turn[pe * 1024] == round);
    }
    weft_shared_barrier();
  }
}

/* Each PE writes every n-th byte of the same pages. */
static void neighbours(void) {
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  unsigned char* bytes = zeros(kBytes);
  for (int round = 1; round <= kRounds; ++round) {
    for (int k = me; k < kBytes; k += n) {
      bytes[k] = (unsigned char)(round + k);
    }
    weft_shared_barrier();
    for (int k = 0; k < kBytes; ++k) {
      CHECK(bytes[k] == (unsigned char)(round + k));
    }
    weft_shared_barrier();
  }
}

static void locks(void) {
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  struct {
    weft_shared_lock_t lock;
    long count;
    int last;
    long far[2000];
  }* shared = zeros(sizeof *shared);
  for (int round = 0; round < 4 * kRounds; ++round) {
    if (round % 8 == 7) {
      while (!weft_shared_trylock(&shared->lock)) {
      }
    } else {
      weft_shared_lock(&shared->lock);
    }
    const long count = ++shared->count;
    CHECK(++shared->far[1999] == count);
    shared->last = me;
    weft_shared_unlock(&shared->lock);
  }
  weft_shared_barrier();
  CHECK(shared->count == 4L * kRounds * n && shared->far[1999] == shared->count);
  CHECK(shared->last >= 0 && shared->last < n);
}

/* A chain of PEs: each waits for the one before by atomic loads, and orders by acquire and release. */
static void chain(void) {
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  struct {
    uint32_t turn;
    int values[64][1024];
  }* shared = zeros(sizeof *shared);
  for (int round = 0; round < kRounds; ++round) {
    while (weft_shared_uint32_load(&shared->turn) != (uint32_t)(round * n + me)) {
    }
    weft_shared_acquire();
    for (int pe = 0; pe < n && pe < 64; ++pe) {
      CHECK(shared->values[pe][round] == (pe < me ? round + pe : 0));
    }
    if (me < 64) {
      shared->values[me][round] = round + me;
    }
    weft_shared_release();
    weft_shared_uint32_fetch_add(&shared->turn, 1);
  }
  weft_shared_barrier();
}

int main(void) {
  weft_shared_init();
  barriers();
  neighbours();
  locks();
  chain();
  weft_shared_finalize();
  return 0;
}
