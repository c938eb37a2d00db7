/* Point 10.2: signal updates of all PEs on one word are atomic: no ADD is lost, ADD wraps at 2^64, a SET leaves exactly
 * one of the values set, signal_fetch and signal_wait_until see whole values only. */
#include "together.h"

/* Many adds: PEs must really meet on the word, also where they take turns on few processors. */
enum { kRounds = 200, kAdds = 8000 };

static uint64_t g_sum, g_word;
static char g_data[64];

static void adds(uint64_t* sum, uint64_t step) {
  const char c = 'x';
  *sum = UINT64_MAX - 10; /* wraps on the way */
  shmem_barrier_all();
  check_start_together();
  for (int i = 0; i < kAdds; ++i) {
    shmem_putmem_signal(&g_data[check_me], &c, 1, sum, step, SHMEM_SIGNAL_ADD, 0);
    shmem_putmem_signal_nbi(&g_data[check_me], &c, 1, sum, step, SHMEM_SIGNAL_ADD, 0);
    shmem_putmem_signal(&g_data[check_me], &c, 0, sum, step, SHMEM_SIGNAL_ADD, 0);
    shmem_signal_add(sum, step, 0);
  }
  shmem_barrier_all();
  if (check_me == 0) {
    const uint64_t expect = UINT64_MAX - 10 + step * 4 * kAdds * (uint64_t)check_n;
    CHECK(shmem_signal_fetch(sum) == expect, "the sum is %llx, not %llx", (unsigned long long)shmem_signal_fetch(sum),
          (unsigned long long)expect);
  }
  shmem_barrier_all();
}

/* Every PE sets values whose halves belong together; the owner never sees a mixture. */
static void sets(void) {
  const char c = 'y';
  for (uint32_t i = 1; i <= kRounds; ++i) {
    const uint64_t low = (uint64_t)check_me * 100000 + i;
    const uint64_t value = low << 32 | (low ^ 0xFFFFFFFFu);
    if (i % 2)
      shmem_putmem_signal(&g_data[check_me], &c, 1, &g_word, value, SHMEM_SIGNAL_SET, check_n - 1);
    else
      shmem_signal_set(&g_word, value, check_n - 1);
    const uint64_t seen = shmem_signal_fetch(&g_word);
    CHECK(seen == 0 || (uint32_t)seen == ((uint32_t)(seen >> 32) ^ 0xFFFFFFFFu), "a torn signal: %llx",
          (unsigned long long)seen);
  }
  shmem_barrier_all();
  const uint64_t last = shmem_uint64_g(&g_word, check_n - 1);
  CHECK(last >> 32 < 100000ull * (uint64_t)check_n && (uint32_t)last == ((uint32_t)(last >> 32) ^ 0xFFFFFFFFu),
        "the last value %llx was never set", (unsigned long long)last);
  shmem_barrier_all();
}

/* A single receiver counts through what all others add, without losing a step. */
static void counting_waiter(void) {
  g_sum = 0;
  shmem_barrier_all();
  if (check_me == 0) {
    uint64_t seen = 0;
    const uint64_t all = (uint64_t)(check_n - 1) * kRounds;
    while (seen < all) {
      const uint64_t now = shmem_signal_wait_until(&g_sum, SHMEM_CMP_GT, seen);
      CHECK(now > seen && now <= all, "from %llu to %llu", (unsigned long long)seen, (unsigned long long)now);
      if (now <= seen) break;
      seen = now;
    }
  } else {
    for (int i = 0; i < kRounds; ++i) shmem_signal_add(&g_sum, 1, 0);
  }
  shmem_barrier_all();
}

int main(void) {
  uint64_t* heap;
  check_begin();
  heap = shmem_malloc(sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  STEP("adds");
  adds(&g_sum, 1);
  adds(heap, 0x123456789ABCDEFull);
  adds(&g_sum, UINT64_MAX); /* takes one away */
  STEP("sets");
  sets();
  STEP("waiter");
  counting_waiter();
  shmem_free(heap);
  return check_end();
}
