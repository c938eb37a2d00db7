/* 2.5 The arguments of one call may lie in different segments: target, source, signal, lock and flags each in static
 * data or in the heap, in every combination. */
#include "../check.h"

static long s_dest[16], s_source[16], s_word, s_flag;
static uint64_t s_signal;
static long s_lock;

static void combination(long* dest, long* source, uint64_t* sig, const char* name) {
  const int to = check_right(1), from = check_right(-1);
  int i;
  for (i = 0; i < 16; ++i) {
    source[i] = check_me * 100L + i;
    dest[i] = -1;
  }
  *sig = 0;
  shmem_barrier_all();
  shmem_long_put(dest, source, 16, to);
  shmem_barrier_all();
  CHECK(dest[0] == from * 100L && dest[15] == from * 100L + 15, "%s: put gave %ld %ld", name, dest[0], dest[15]);
  shmem_barrier_all();
  for (i = 0; i < 16; ++i) source[i] += 50;
  shmem_long_put_signal(dest, source, 16, sig, 7, SHMEM_SIGNAL_SET, to);
  STEP(name);
  CHECK_EQ(shmem_signal_wait_until(sig, SHMEM_CMP_EQ, 7), 7, "%s: signal", name);
  CHECK(dest[0] == from * 100L + 50 && dest[15] == from * 100L + 65, "%s: put_signal gave %ld %ld", name, dest[0],
        dest[15]);
  shmem_barrier_all();
  /* both sides symmetric, the get the other way round */
  shmem_long_get(source, dest, 16, to);
  CHECK(source[0] == check_me * 100L + 50 && source[15] == check_me * 100L + 65, "%s: get gave %ld", name, source[0]);
  shmem_barrier_all();
  shmem_long_iput(dest, source, 2, 1, 8, to);
  shmem_long_atomic_fetch_add_nbi(&source[15], &dest[1], 1, to);
  shmem_quiet();
  CHECK_EQ(source[15], check_me * 100L + 51, "%s: fetch of a nonblocking AMO", name);
  shmem_barrier_all();
  CHECK_EQ(dest[14], from * 100L + 57, "%s: iput", name);
  CHECK_EQ(dest[1], from * 100L + 52, "%s: AMO", name);
  shmem_barrier_all();
}

int main(void) {
  long *h_dest, *h_source, *h_lock;
  uint64_t* h_signal;
  check_begin();
  h_dest = (long*)shmem_malloc(16 * sizeof(long));
  h_source = (long*)shmem_malloc(16 * sizeof(long));
  h_signal = (uint64_t*)shmem_malloc(sizeof(uint64_t));
  h_lock = (long*)shmem_calloc(1, sizeof(long));
  REQUIRE(h_dest && h_source && h_signal && h_lock, "shmem_malloc");
  combination(s_dest, s_source, &s_signal, "static, static, static");
  combination(s_dest, s_source, h_signal, "static, static, heap");
  combination(s_dest, h_source, &s_signal, "static, heap, static");
  combination(s_dest, h_source, h_signal, "static, heap, heap");
  combination(h_dest, s_source, &s_signal, "heap, static, static");
  combination(h_dest, s_source, h_signal, "heap, static, heap");
  combination(h_dest, h_source, &s_signal, "heap, heap, static");
  combination(h_dest, h_source, h_signal, "heap, heap, heap");
  STEP("locks in both segments");
  shmem_set_lock(&s_lock);
  shmem_set_lock(h_lock);
  shmem_long_p(&s_word, shmem_long_g(&s_word, 0) + 1, 0);
  shmem_quiet();
  shmem_clear_lock(h_lock);
  shmem_clear_lock(&s_lock);
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&s_word, 0), check_n, "increments under two locks");
  shmem_long_p(&s_flag, 1, check_right(1));
  shmem_long_wait_until(&s_flag, SHMEM_CMP_EQ, 1);
  return check_end();
}
