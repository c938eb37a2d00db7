/* Point 15.4: taking a lock also orders what the holder reads next: data that the holder before wrote with plain
 * stores, on its own PE or through shmem_ptr, is seen by plain loads; by set_lock as by test_lock. */
#include "check.h"

enum { kWords = 100, kRounds = 300 };

static long g_lock;

int main(void) {
  long *data, *on_zero;
  check_begin();
  data = shmem_calloc(kWords + 1, sizeof *data);
  REQUIRE(data != NULL, "no memory");
  on_zero = shmem_ptr(data, 0);
  REQUIRE(on_zero != NULL, "shmem_ptr of a heap object on one machine");
  for (int r = 0; r < kRounds; ++r) {
    if (r % 4 == 3)
      while (shmem_test_lock(&g_lock) != 0) check_sleep_ms(0);
    else
      shmem_set_lock(&g_lock);
    /* the counter last written, the words first read: a load that ran ahead of the lock would show a mixture */
    const long now = on_zero[kWords];
    for (int i = 0; i < kWords; ++i)
      if (on_zero[i] != now) {
        CHECK_EQ(on_zero[i], now, "word %d in turn %ld", i, now);
        break;
      }
    for (int i = 0; i < kWords; ++i) on_zero[i] = now + 1;
    on_zero[kWords] = now + 1;
    shmem_clear_lock(&g_lock);
  }
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&data[kWords], 0), (long)kRounds * check_n, "turns of all PEs");
  shmem_barrier_all();
  shmem_free(data);
  return check_end();
}
