/* Homes that move to who writes: one PE initialises, others go on; owners change; words with locks and operations lie
 * among what one PE writes; and what was mapped stays. */
#include <string.h>

#include "check.h"

enum { kPages = 24, kInts = kPages * 1024, kRounds = 12, kLong = 30, kMost = 8 };

static int g_me, g_n;

static uint64_t sent(void) {
  weft_shared_stats_t stats;
  weft_shared_stats(&stats);
  return stats.sent;
}

static int by_pages(void) {
  weft_shared_stats_t stats;
  weft_shared_stats(&stats);
  return stats.faults > 0;
}

static int learns(void) {
  const char* const said = getenv("WEFT_SHARED_HOMES");
  return said == NULL || strcmp(said, "first") != 0;
}

static int* memory(size_t bytes) {
  return weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
}

/* Each PE writes its part in each round, and all look at all. How many pages went home. */
static uint64_t write_parts(int* all, int rounds, int from) {
  const uint64_t before = sent();
  for (int round = from; round < from + rounds; ++round) {
    const int part = kInts / g_n, first = g_me * part;
    for (int k = first; k < first + part; ++k) {
      all[k] = round * 100000 + k;
    }
    weft_shared_barrier();
    for (int k = (round % 7) * 11; k < part * g_n; k += 37) {
      CHECK(all[k] == round * 100000 + k);
    }
    weft_shared_barrier();
  }
  return sent() - before;
}

/* One initialises: then all of it is at home there, until who writes it has it. */
static void initialised_by_one(void) {
  int* const all = memory(sizeof(int) * kInts);
  if (g_me == 0) {
    memset(all, 0, sizeof(int) * kInts);
  }
  weft_shared_barrier();
  const uint64_t went = write_parts(all, kLong, 0), would = (uint64_t)kLong * (kPages / g_n);
  if (by_pages() && g_me != 0 && g_n <= 3 && getenv("WEFT_SHARED_CACHE") == NULL) {
    CHECK(learns() ? went < would * 3 / 4 : went >= would);
  }
  /* What was mapped stays where it is. */
  weft_shared_map(all, sizeof(int) * kInts, sizeof(int) * kInts, 0, 1);
  const uint64_t mapped = write_parts(all, kRounds, kLong);
  CHECK(!by_pages() || g_me == 0 || mapped >= (uint64_t)kRounds * (kPages / g_n));
  weft_shared_barrier();
}

/* Owners go round: pages follow, ever more slowly. */
static void owners_change(int rounds_of_each) {
  int* const all = memory(sizeof(int) * kInts);
  for (int round = 0; round < 40; ++round) {
    for (int page = 0; page < kPages; ++page) {
      if ((page + round / rounds_of_each) % g_n == g_me) {
        for (int k = 0; k < 1024; k += 1 + page) {
          all[page * 1024 + k] += 1;
        }
      }
    }
    weft_shared_barrier();
    for (int page = g_me; page < kPages; page += 2) {
      for (int k = 0; k < 1024; ++k) {
        CHECK(all[page * 1024 + k] == (k % (1 + page) == 0 ? round + 1 : 0));
      }
    }
    weft_shared_barrier();
  }
}

struct words {
  weft_shared_lock_t lock;
  long under_lock;
  uint64_t added;
  weft_shared_pair_t pair;
  long of[kMost];
};

/* One PE writes the page for long before others use its words, which then are where they are for all. */
static void words_among_data(void) {
  for (int late = 0; late < 2; ++late) {
    struct words* const words = (struct words*)memory(4096);
    if (g_me == 0) {
      memset(words, 0, 4096);
    }
    weft_shared_barrier();
    for (int round = 0; round < kRounds; ++round) {
      if (g_me == (late != 0 ? 1 % g_n : round % g_n)) {
        words->of[g_me % kMost] += 1;
      }
      if (late == 0 || round >= kRounds / 2) {
        for (int k = 0; k < 5; ++k) {
          weft_shared_lock(&words->lock);
          words->under_lock += 1;
          weft_shared_unlock(&words->lock);
          weft_shared_uint64_fetch_add(&words->added, 1);
        }
      }
      weft_shared_barrier();
    }
    const long times = 5L * g_n * (late == 0 ? kRounds : kRounds - kRounds / 2);
    CHECK(words->under_lock == times);
    CHECK((long)weft_shared_uint64_load(&words->added) == times);
    long sum = 0;
    for (int k = 0; k < kMost; ++k) {
      sum += words->of[k];
    }
    CHECK(sum == kRounds);
    weft_shared_barrier();
  }
}

/* Neighbours in one page, and a lock whose holder alone writes another one. */
static void shared_pages(void) {
  int* const all = memory(2 * 4096);
  weft_shared_lock_t* const lock = (weft_shared_lock_t*)memory(4096);
  for (int round = 0; round < kRounds; ++round) {
    all[g_me] += 1;
    for (int k = 0; k < 3; ++k) {
      weft_shared_lock(lock);
      all[1024] += 1;
      weft_shared_unlock(lock);
    }
    weft_shared_barrier();
    for (int pe = 0; pe < g_n; ++pe) {
      CHECK(all[pe] == round + 1);
    }
    CHECK(all[1024] == 3 * g_n * (round + 1));
    weft_shared_barrier();
  }
}

int main(void) {
  weft_shared_init();
  g_me = weft_shared_my_pe(), g_n = weft_shared_n_pes();
  initialised_by_one();
  for (int rounds = 1; rounds <= 10; rounds += 3) {
    owners_change(rounds);
  }
  words_among_data();
  shared_pages();
  weft_shared_finalize();
  return 0;
}
