/* Point 10.5: signal_fetch reads the local object, whatever the others' say; signal_wait_until returns the very value
 * that satisfied the comparison, for all six of them and over the whole unsigned range. */
#include "check.h"

static uint64_t g_signal;

static void local(void) {
  g_signal = 1000 + (uint64_t)check_me;
  shmem_barrier_all();
  CHECK_EQ(shmem_signal_fetch(&g_signal), 1000 + check_me, "signal_fetch");
  const uint64_t huge = UINT64_MAX - (uint64_t)check_me;
  shmem_barrier_all();
  g_signal = huge;
  CHECK(shmem_signal_fetch(&g_signal) == huge, "signal_fetch of a value beyond 2^63");
  shmem_barrier_all();
}

struct Case {
  int cmp;
  uint64_t against, value;
};
/* Each becomes true by `value` alone; it starts from a value that does not satisfy it. */
static const struct Case kCases[] = {
    {SHMEM_CMP_EQ, 5, 5},
    {SHMEM_CMP_NE, 7, 9},
    {SHMEM_CMP_GT, UINT64_MAX - 1, UINT64_MAX},
    {SHMEM_CMP_GE, (uint64_t)1 << 63, ((uint64_t)1 << 63) + 3},
    {SHMEM_CMP_LT, 10, 3},
    {SHMEM_CMP_LE, 10, 10},
};
static const uint64_t kStart[] = {4, 7, 12, 1, UINT64_MAX, (uint64_t)1 << 63};

static void all_comparisons(void) {
  const int to = check_right(1);
  for (int i = 0; i < 6; ++i) {
    g_signal = kStart[i];
    shmem_barrier_all();
    shmem_signal_set(&g_signal, kCases[i].value, to);
    const uint64_t got = shmem_signal_wait_until(&g_signal, kCases[i].cmp, kCases[i].against);
    CHECK(got == kCases[i].value, "comparison %d returned %llx", i, (unsigned long long)got);
    CHECK(shmem_signal_wait_until(&g_signal, kCases[i].cmp, kCases[i].against) == kCases[i].value, "once more, %d", i);
    shmem_barrier_all();
  }
}

/* The value changes all the time: what is returned must satisfy the comparison, even if the object does not any more.
 */
static void moving_value(void) {
  g_signal = 0;
  shmem_barrier_all();
  if (check_me == 0) {
    for (int i = 0; i < 4000; ++i) {
      const uint64_t odd = shmem_signal_wait_until(&g_signal, SHMEM_CMP_NE, 0);
      CHECK(odd >= 1 && odd <= (uint64_t)check_n, "NE 0 returned %llu", (unsigned long long)odd);
      const uint64_t high = shmem_signal_wait_until(&g_signal, SHMEM_CMP_GE, (uint64_t)check_n - 1);
      CHECK(high >= (uint64_t)check_n - 1, "GE %d returned %llu", check_n - 1, (unsigned long long)high);
    }
    for (int pe = 1; pe < check_n; ++pe) shmem_uint64_p(&g_signal, UINT64_MAX, pe); /* enough */
  } else {
    uint64_t value = 0;
    while (shmem_signal_fetch(&g_signal) != UINT64_MAX) {
      shmem_signal_set(&g_signal, value++ % 3 == 0 ? 0 : (uint64_t)(check_n - (int)(value % 2)), 0);
      if (value % 1024 == 0) check_sleep_ms(0);
    }
  }
  shmem_barrier_all();
}

int main(void) {
  check_begin();
  local();
  STEP("comparisons");
  all_comparisons();
  STEP("a value that moves");
  if (check_n > 1) moving_value();
  return check_end();
}
