/* Who sees what when: behind a barrier, behind a lock, behind release and acquire; and bytes of one page that all
 * write. */
#include "check.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* Stores past the caches, which are in no order with others. */
static void streams(void) {
#if defined(__SSE2__)
  enum { kTimes = 500, kLines = 8, kInts = 16 };
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  int* const lines = zeros((size_t)n * 2 * kLines * kInts * sizeof *lines);
  for (int round = 1; round <= kTimes; ++round) {
    int* const mine = lines + (me * 2 + round % 2) * kLines * kInts;
    const int* const next = lines + ((me + 1) % n * 2 + round % 2) * kLines * kInts;
    for (int k = 0; k < kLines; ++k) {
      _mm_stream_si32(mine + k * kInts + 1, round);
    }
    weft_shared_barrier();
    for (int k = 0; k < kLines; ++k) {
      CHECK(next[k * kInts + 1] == round);
    }
  }
  weft_shared_barrier();
#endif
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

static void say(uint32_t* turn, uint32_t what) {
  weft_shared_release();
  weft_shared_uint32_store(turn, what);
}
static void hear(uint32_t* turn, uint32_t what) {
  while (weft_shared_uint32_load(turn) != what) {
  }
  weft_shared_acquire();
}

/* PE 1 changes a word of a page that PE 0 is home of and writes, and PE 0 makes it what it was before that. */
static void back_again(int by_operation) {
  const int me = weft_shared_my_pe();
  struct {
    uint32_t turn;
    uint64_t far[512];
    uint64_t word;
    uint64_t beside;
    uint64_t end[512];
  }* shared = zeros(sizeof *shared);
  if (me == 0) shared->beside = 1;
  for (int k = 0; k < 3; ++k) { /* then PE 0 knows nothing new of PE 1's copy */
    weft_shared_barrier();
    CHECK(me != 1 || shared->word == 0);
  }
  weft_shared_barrier();
  if (me == 0) {
    shared->beside = 1; /* its twin is made */
    say(&shared->turn, 1);
    hear(&shared->turn, 2);
    shared->word = 0;
    say(&shared->turn, 3);
  } else if (me == 1) {
    hear(&shared->turn, 1);
    if (by_operation) {
      weft_shared_uint64_fetch_add(&shared->word, 5);
    } else {
      shared->word = 5;
    }
    say(&shared->turn, 2);
    hear(&shared->turn, 3);
    CHECK(shared->word == 0);
  }
  weft_shared_barrier();
}

int main(void) {
  weft_shared_init();
  barriers();
  streams();
  neighbours();
  locks();
  chain();
  for (int round = 0; round < 6 && weft_shared_n_pes() > 1; ++round) {
    back_again(round % 2);
  }
  weft_shared_finalize();
  return 0;
}
