/* Point 8.8: operations on a PE that computes and never calls the library are finished all the same. The last PE only
 * reads its own memory until all others say that each of their operations has completed, results checked. */
#include "check.h"

enum { kWords = 500 };

struct Mailbox {
  long put[kWords], nbi[kWords], strided[2 * kWords], blocks[2 * kWords], with_signal[kWords];
  long single, counter, bits;
  uint64_t signal;
};
static struct Mailbox g_box[64]; /* one for each writer, on the passive PE */
static long g_done;              /* on the passive PE: how many writers are through */
static volatile unsigned long g_work;

static void passive(void) {
  const volatile long* const done = &g_done;
  /* plain loads and arithmetic: not one call of the library */
  while (*done != check_n - 1) {
    for (int i = 0; i < 20000; ++i) g_work = g_work * 6364136223846793005ul + 1442695040888963407ul;
    check_sleep_ms(0);
  }
}

static void active(int to) {
  struct Mailbox* const box = &g_box[check_me];
  long source[2 * kWords], seen[2 * kWords], old = -1;
  for (int i = 0; i < 2 * kWords; ++i) source[i] = check_me * 10000L + i;
  shmem_long_put(box->put, source, kWords, to);
  shmem_long_put_nbi(box->nbi, source, kWords, to);
  shmem_long_iput(box->strided, source, 2, 2, kWords, to);
  shmem_long_ibput(box->blocks, source, 10, 10, 5, 2 * kWords / 10, to);
  shmem_long_p(&box->single, 4711, to);
  shmem_long_put_signal(box->with_signal, source, kWords, &box->signal, 3, SHMEM_SIGNAL_ADD, to);
  shmem_quiet();
  shmem_long_get(seen, box->put, kWords, to);
  CHECK(memcmp(seen, source, kWords * sizeof *seen) == 0, "put and get");
  shmem_long_get_nbi(seen, box->nbi, kWords, to);
  shmem_quiet();
  CHECK(memcmp(seen, source, kWords * sizeof *seen) == 0, "put_nbi and get_nbi");
  shmem_long_iget(seen, box->strided, 1, 2, kWords, to);
  for (int i = 0; i < kWords; ++i) CHECK_EQ(seen[i], source[2 * i], "iput and iget, element %d", i);
  shmem_long_ibget(seen, box->blocks, 10, 10, 5, 2 * kWords / 10, to);
  for (int i = 0; i < 2 * kWords; ++i)
    if (i % 10 < 5) CHECK_EQ(seen[i], source[i], "ibput and ibget, element %d", i);
  CHECK_EQ(shmem_long_g(&box->single, to), 4711, "p and g");
  shmem_long_get(seen, box->with_signal, kWords, to);
  CHECK(memcmp(seen, source, kWords * sizeof *seen) == 0, "put_signal");
  CHECK_EQ(shmem_uint64_g(&box->signal, to), 3, "the signal");
  for (int i = 0; i < 10; ++i) shmem_long_atomic_add(&box->counter, i, to);
  shmem_quiet();
  CHECK_EQ(shmem_long_atomic_fetch(&box->counter, to), 45, "atomic_add");
  shmem_long_atomic_fetch_inc_nbi(&old, &box->counter, to);
  shmem_quiet();
  CHECK_EQ(old, 45, "fetch_inc_nbi");
  CHECK_EQ(shmem_long_atomic_compare_swap(&box->counter, 46, 1, to), 46, "compare_swap");
  shmem_int64_atomic_or((int64_t*)&box->bits, 0xF0, to);
  shmem_quiet();
  CHECK_EQ(shmem_int64_atomic_fetch((int64_t*)&box->bits, to), 0xF0, "atomic_or");
  shmem_long_atomic_inc(&g_done, to);
}

int main(void) {
  check_begin();
  if (check_me == check_n - 1)
    passive();
  else
    active(check_n - 1);
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&g_done, check_n - 1), check_n - 1, "writers that came through");
  return check_end();
}
