/* Pairs of words that all PEs change together, and what plain loads see of them and of other words behind a barrier. */
#include <pthread.h>

#include "check.h"

enum { kTimes = 300, kThreads = 3 };

static struct {
  weft_shared_pair_t pair;
  weft_shared_pair_t last;
  uint64_t word;
} * shared;

/* Both words change together, or not at all. */
static void* add(void* unused) {
  (void)unused;
  for (int k = 0; k < kTimes; ++k) {
    weft_shared_pair_t seen = weft_shared_pair_load(&shared->pair);
    for (;;) {
      CHECK(seen.second == 3 * seen.first);
      const weft_shared_pair_t next = {seen.first + 1, seen.second + 3};
      const weft_shared_pair_t before = weft_shared_pair_compare_swap(&shared->pair, seen, next);
      if (before.first == seen.first && before.second == seen.second) {
        break;
      }
      seen = before;
    }
    weft_shared_uint64_fetch_add(&shared->word, 1);
  }
  return NULL;
}

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  shared = zeros(sizeof *shared);
  for (int round = 1; round <= 4; ++round) {
    /* There is a copy here, or there is none. */
    CHECK(round % 2 == 0 || shared->word == (uint64_t)(round - 1) * n * kThreads * kTimes);
    weft_shared_barrier();
    pthread_t threads[kThreads];
    for (int k = 0; k < kThreads; ++k) {
      CHECK(pthread_create(&threads[k], NULL, add, NULL) == 0);
    }
    for (int k = 0; k < kThreads; ++k) {
      pthread_join(threads[k], NULL);
    }
    /* What this PE's own threads have added is here. */
    CHECK(shared->word >= (uint64_t)(round - 1) * n * kThreads * kTimes + kThreads * kTimes);
    weft_shared_barrier();
    const uint64_t all = (uint64_t)round * n * kThreads * kTimes;
    CHECK(shared->word == all && shared->pair.first == all && shared->pair.second == 3 * all);
    weft_shared_barrier();
  }
  /* Each swaps, and nothing is lost: a chain. */
  const weft_shared_pair_t mine = {(uint64_t)me + 1, ~(uint64_t)me};
  const weft_shared_pair_t before = weft_shared_pair_swap(&shared->last, mine);
  CHECK(before.first == 0 ? before.second == 0 : before.second == ~(before.first - 1));
  CHECK(before.first <= (uint64_t)n && before.first != mine.first);
  weft_shared_barrier();
  if (me == n - 1) {
    const weft_shared_pair_t stored = {7, 8}, wrong = {7, 9};
    weft_shared_pair_store(&shared->last, stored);
    const weft_shared_pair_t kept = weft_shared_pair_compare_swap(&shared->last, wrong, mine);
    CHECK(kept.first == 7 && kept.second == 8 && shared->last.first == 7);
  }
  weft_shared_barrier();
  CHECK(shared->last.first == 7 && shared->last.second == 8);
  weft_shared_finalize();
  return 0;
}
