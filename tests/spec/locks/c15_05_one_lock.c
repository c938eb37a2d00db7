/* Point 15.5: however a PE reaches a lock, it is the same lock: its own copy's owner and every other PE, by set_lock
 * and by test_lock, all compete for one thing. Each PE in turn holds it while all others try by test and one waits by
 * set. */
#include "check.h"

static long g_lock;
static long g_turn, g_tried;

static void round_of(long* lock, int holder) {
  const int waiter = (holder + 1) % check_n;
  if (check_me == holder) shmem_set_lock(lock);
  shmem_barrier_all();
  if (check_me != holder) {
    CHECK_EQ(shmem_test_lock(lock), 1, "test_lock while PE %d holds", holder);
    shmem_long_atomic_inc(&g_tried, holder);
  }
  if (check_me == holder) {
    shmem_long_wait_until(&g_tried, SHMEM_CMP_EQ, check_n - 1);
    g_tried = 0;
    shmem_long_p(&g_turn, 1, waiter); /* seen by the waiter, since clear_lock completes it */
    shmem_clear_lock(lock);
  } else if (check_me == waiter) {
    shmem_set_lock(lock);
    CHECK_EQ(g_turn, 1, "PE %d had the lock before this one", holder);
    g_turn = 0;
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  g_turn = 0;
  shmem_barrier_all();
}

int main(void) {
  long* heap;
  check_begin();
  heap = shmem_calloc(1, sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  for (int r = 0; r < 3; ++r)
    for (int holder = 0; holder < check_n; ++holder) {
      round_of(&g_lock, holder);
      round_of(heap, holder);
    }
  shmem_free(heap);
  return check_end();
}
