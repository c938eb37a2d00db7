/* Point 6.6: every combination of options gives a context that works. Without NOSTORE, its fence and quiet also order
 * plain stores, to own memory and through shmem_ptr: whoever sees the flag sees the stores. With NOSTORE they need not,
 * but its own operations are still ordered and completed. */
#include "check.h"

enum { kWords = 100, kRounds = 30 };

static long g_flag, g_put[kWords];
static long g_own[kWords]; /* stored by its owner, read by the neighbour with get */

static void round_of(shmem_ctx_t ctx, int nostore, long* data, long r) {
  const int to = check_right(1), from = check_right(-1);
  long* const there = shmem_ptr(data, to);
  long source[kWords], seen[kWords];
  for (int i = 0; i < kWords; ++i) source[i] = check_me * 1000000L + r * 1000 + i;
  if (!nostore) {
    if (there != NULL)
      for (int i = 0; i < kWords; ++i) there[i] = source[i];
    else
      shmem_ctx_long_put(ctx, data, source, kWords, to); /* on another node */
    for (int i = 0; i < kWords; ++i) g_own[i] = source[i];
  }
  shmem_ctx_long_put(ctx, g_put, source, kWords, to);
  if (r % 2)
    shmem_ctx_fence(ctx);
  else
    shmem_ctx_quiet(ctx);
  shmem_ctx_long_p(ctx, &g_flag, r, to);
  shmem_long_wait_until(&g_flag, SHMEM_CMP_EQ, r);
  if (!nostore) {
    shmem_long_get(seen, g_own, kWords, from); /* the flag's writer stored it before */
    for (int i = kWords - 1; i >= 0; --i)
      if (data[i] != from * 1000000L + r * 1000 + i || seen[i] != from * 1000000L + r * 1000 + i) {
        CHECK_EQ(data[i], from * 1000000L + r * 1000 + i, "a store through shmem_ptr, element %d", i);
        CHECK_EQ(seen[i], from * 1000000L + r * 1000 + i, "a store to own memory, element %d", i);
        break;
      }
  }
  CHECK_EQ(g_put[kWords - 1], from * 1000000L + r * 1000 + kWords - 1, "the put before the flag");
  CHECK_EQ(g_put[0], from * 1000000L + r * 1000, "the put before the flag");
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

int main(void) {
  long* data;
  long r = 0;
  check_begin();
  data = shmem_calloc(kWords, sizeof *data);
  REQUIRE(data != NULL, "no memory");
  CHECK(SHMEM_CTX_PRIVATE != SHMEM_CTX_SERIALIZED && SHMEM_CTX_NOSTORE != SHMEM_CTX_SERIALIZED &&
            SHMEM_CTX_NOSTORE != SHMEM_CTX_PRIVATE,
        "the options are different bits");
  for (int i = 0; i < kRounds; ++i) round_of(SHMEM_CTX_DEFAULT, 0, data, ++r);
  for (int bits = 0; bits < 8; ++bits) {
    const long options =
        (bits & 1 ? SHMEM_CTX_PRIVATE : 0) | (bits & 2 ? SHMEM_CTX_SERIALIZED : 0) | (bits & 4 ? SHMEM_CTX_NOSTORE : 0);
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    CHECK_EQ(shmem_ctx_create(options, &ctx), 0, "options %ld", options);
    REQUIRE(ctx != SHMEM_CTX_INVALID, "options %ld", options);
    for (int i = 0; i < kRounds; ++i) round_of(ctx, bits & 4, data, ++r);
    shmem_ctx_destroy(ctx);
  }
  shmem_free(data);
  return check_end();
}
