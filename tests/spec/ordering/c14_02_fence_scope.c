/* Point 14.2: fence orders per target PE and per context. A stream of fenced pairs from all PEs to all PEs, on several
 * contexts at once, large and small data mixed, so that copies may take different ways: each pair keeps its order. */
#include "check.h"

enum { kMaxPes = 16, kContexts = 3, kRounds = 12, kMost = 40000 };

/* On each target: one place for each writer and context. */
static long g_flag[kMaxPes][kContexts];
static long* g_room;

static long* room_of(int writer, int ctx) { return g_room + ((size_t)writer * kContexts + (size_t)ctx) * kMost; }
static size_t count_of(long r, int ctx) { return r % 3 == ctx ? kMost : r % 2 ? 3 : 600; }

static void write_all(const shmem_ctx_t* ctx, long* source, long r) {
  for (int c = 0; c < kContexts; ++c) {
    const size_t n = count_of(r, c);
    for (size_t i = 0; i < n; ++i) source[i] = check_me * 1000000L + c * 100000 + r * 1000 + (long)(i % 1000);
    for (int step = 0; step < check_n; ++step) {
      const int to = check_right(step);
      if (r % 2)
        shmem_ctx_long_put(ctx[c], room_of(check_me, c), source, n, to);
      else
        shmem_ctx_long_put_nbi(ctx[c], room_of(check_me, c), source, n, to);
      shmem_ctx_fence(ctx[c]);
      shmem_ctx_long_p(ctx[c], &g_flag[check_me][c], r, to);
    }
    shmem_ctx_quiet(ctx[c]); /* the source is used again */
  }
}

static void check_all(long r) {
  for (int c = 0; c < kContexts; ++c)
    for (int from = 0; from < check_n; ++from) {
      shmem_long_wait_until(&g_flag[from][c], SHMEM_CMP_EQ, r);
      const long* const data = room_of(from, c);
      for (size_t i = count_of(r, c); i-- > 0;)
        if (data[i] != from * 1000000L + c * 100000 + r * 1000 + (long)(i % 1000)) {
          CHECK(0, "context %d, from PE %d, round %ld: element %zu came behind its flag", c, from, r, i);
          break;
        }
    }
}

int main(void) {
  static long source[kMost];
  shmem_ctx_t ctx[kContexts] = {SHMEM_CTX_DEFAULT};
  check_begin();
  REQUIRE(check_n <= kMaxPes, "too many PEs");
  g_room = shmem_malloc((size_t)check_n * kContexts * kMost * sizeof *g_room);
  REQUIRE(g_room != NULL, "no memory");
  for (int c = 1; c < kContexts; ++c) REQUIRE(shmem_ctx_create(0, &ctx[c]) == 0, "ctx_create");
  for (long r = 1; r <= kRounds; ++r) {
    write_all(ctx, source, r);
    check_all(r);
    shmem_barrier_all();
  }
  for (int c = 1; c < kContexts; ++c) shmem_ctx_destroy(ctx[c]);
  shmem_free(g_room);
  return check_end();
}
