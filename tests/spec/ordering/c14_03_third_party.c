/* Point 14.3: after quiet the writes are complete and visible to ALL PEs. Three parties: a writer puts on a target,
 * calls quiet and tells a third PE, which reads the target. For every kind of write, plain stores through shmem_ptr
 * included, and all roles going round. */
#include "litmus.h"

enum { kRounds = 4 };

static long g_flag;

/* Reads `n` words of `data` on `target` in one of three ways. */
static void read_target(int how, long* seen, long* data, int n, int target) {
  if (how == 0) {
    shmem_long_get(seen, data, (size_t)n, target);
  } else if (how == 1) {
    for (int i = 0; i < n; ++i) seen[i] = shmem_long_g(data + i, target);
  } else {
    const volatile long* const direct = (const volatile long*)shmem_ptr(data, target);
    for (int i = 0; i < n; ++i) seen[i] = direct[i];
  }
}

int main(void) {
  static struct LitmusSource source;
  static long seen[kLitmusWords];
  shmem_ctx_t ctx;
  long* data;
  uint64_t* signal;
  long r = 0;
  check_begin();
  data = shmem_calloc(kLitmusWords, sizeof *data);
  signal = shmem_calloc(1, sizeof *signal);
  REQUIRE(data && signal && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  for (int turn = 0; turn < kRounds; ++turn)
    for (int way = 0; way < kLitmusWrites; ++way) {
      const int writer = turn % check_n, target = (turn + 1) % check_n, third = (turn + 2) % check_n;
      const long value = ++r * 1000;
      shmem_ctx_t used = r % 2 ? ctx : SHMEM_CTX_DEFAULT;
      if (check_me == writer) {
        litmus_write(way, used, data, signal, &source, value, target);
        shmem_ctx_quiet(used);
        shmem_long_p(&g_flag, r, third);
      }
      if (check_me == third) {
        shmem_long_wait_until(&g_flag, SHMEM_CMP_EQ, r);
        read_target((int)(r % 3), seen, data, litmus_words(way), target);
        litmus_expect(seen, way, value, "quiet, and read by a third PE");
      }
      shmem_barrier_all();
    }
  shmem_ctx_destroy(ctx);
  shmem_free(signal);
  shmem_free(data);
  return check_end();
}
