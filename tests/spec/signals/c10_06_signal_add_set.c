/* Point 10.6 [N]: shmem_signal_add and shmem_signal_set and their context forms: exact effect on the target's word
 * only, nothing beside it, no data needed; completed by quiet of the same context, ordered by its fence; atomic against
 * put_signal on the same word; contexts of the predefined teams too. */
#include "check.h"

enum { kContexts = 4, kRounds = 100 };

static struct { uint64_t low, word, high; } g_static;

static void exact(uint64_t* low, int pe, shmem_ctx_t ctx, int way) {
  uint64_t* const word = low + 1;
  uint64_t seen[3];
#define ADD(v) (way ? shmem_ctx_signal_add(ctx, word, (v), pe) : shmem_signal_add(word, (v), pe))
#define SET(v) (way ? shmem_ctx_signal_set(ctx, word, (v), pe) : shmem_signal_set(word, (v), pe))
#define SEEN(v, what)                                                               \
  (way ? shmem_ctx_quiet(ctx) : shmem_quiet(), shmem_uint64_get(seen, low, 3, pe)); \
  CHECK(seen[1] == (v), what " (way %d): %llx", way, (unsigned long long)seen[1]);  \
  CHECK(seen[0] == UINT64_MAX && seen[2] == 0, what " (way %d) wrote beside its word", way)
  SET(40);
  SEEN(40, "set");
  ADD(2);
  SEEN(42, "add");
  ADD(0);
  SEEN(42, "add of 0");
  ADD(UINT64_MAX);
  SEEN(41, "add of 2^64 - 1");
  SET(UINT64_MAX);
  SEEN(UINT64_MAX, "set to 2^64 - 1");
  ADD(1);
  SEEN(0, "add that wraps, no carry into the neighbour");
  SET(0x0123456789ABCDEFull);
  SEEN(0x0123456789ABCDEFull, "set of a wide value");
  ADD(0x1111111111111111ull);
  SEEN(0x123456789ABCDF00ull, "add of a wide value");
  SET(0);
  SEEN(0, "set to 0");
#undef ADD
#undef SET
#undef SEEN
}

static uint64_t g_count, g_order[2];
static char g_data;

/* All PEs, all contexts and put_signal on one word. */
static void together(const shmem_ctx_t* ctx) {
  const char c = 'z';
  g_count = 0;
  shmem_barrier_all();
  for (int i = 0; i < kRounds; ++i) {
    for (int k = 0; k < kContexts; ++k) shmem_ctx_signal_add(ctx[k], &g_count, 10, 0);
    shmem_signal_add(&g_count, 1, 0);
    shmem_putmem_signal(&g_data, &c, check_me == 0, &g_count, 100, SHMEM_SIGNAL_ADD, 0);
  }
  for (int k = 0; k < kContexts; ++k) shmem_ctx_quiet(ctx[k]);
  shmem_barrier_all();
  CHECK_EQ(shmem_uint64_g(&g_count, 0), (10 * kContexts + 101) * kRounds * check_n, "all adds together");
  shmem_barrier_all();
}

static void ordered(shmem_ctx_t ctx) {
  const int to = check_right(1);
  memset(g_order, 0, sizeof g_order);
  shmem_barrier_all();
  for (uint64_t r = 1; r <= kRounds; ++r) {
    shmem_ctx_signal_set(ctx, &g_order[0], r * 5, to);
    shmem_ctx_fence(ctx);
    shmem_ctx_signal_add(ctx, &g_order[1], 1, to);
    const uint64_t second = shmem_signal_wait_until(&g_order[1], SHMEM_CMP_GE, r);
    CHECK(shmem_signal_fetch(&g_order[0]) >= second * 5, "the signal before the fence is late in round %llu",
          (unsigned long long)r);
  }
  shmem_barrier_all();
}

int main(void) {
  shmem_ctx_t ctx[kContexts];
  uint64_t* heap;
  check_begin();
  heap = shmem_malloc(3 * sizeof *heap);
  REQUIRE(heap != NULL, "no memory");
  ctx[0] = SHMEM_CTX_DEFAULT;
  REQUIRE(shmem_ctx_create(0, &ctx[1]) == 0, "ctx_create");
  REQUIRE(shmem_team_create_ctx(SHMEM_TEAM_WORLD, SHMEM_CTX_SERIALIZED, &ctx[2]) == 0, "team_create_ctx");
  REQUIRE(shmem_team_create_ctx(check_team_of_all(), 0, &ctx[3]) == 0, "team_create_ctx");
  STEP("exact");
  g_static.low = heap[0] = UINT64_MAX;
  g_static.word = g_static.high = heap[1] = heap[2] = 0;
  for (int pe_kind = 0; pe_kind < 2; ++pe_kind) {
    const int pe = pe_kind ? check_right(1) : check_me;
    for (int k = -1; k < kContexts; ++k) {
      shmem_barrier_all();
      exact(&g_static.low, pe, k < 0 ? SHMEM_CTX_DEFAULT : ctx[k], k >= 0);
      exact(heap, pe, k < 0 ? SHMEM_CTX_DEFAULT : ctx[k], k >= 0);
    }
    shmem_barrier_all();
  }
  STEP("together");
  together(ctx);
  STEP("ordered");
  for (int k = 0; k < kContexts; ++k) ordered(ctx[k]);
  for (int k = 1; k < kContexts; ++k) shmem_ctx_destroy(ctx[k]);
  shmem_free(heap);
  return check_end();
}
