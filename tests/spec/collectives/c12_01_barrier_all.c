/* Point 12.1: barrier_all completes what was issued on the default context, for all PEs to see; other contexts are left
 * to their own quiet, before or after it. sync_all and team_sync show plain stores. */
#include "check.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { kRounds = 50, kWords = 512 };

static long g_box[kWords];
static long g_other[kWords];
static long g_back[kWords];
static long g_stored[4];

/* All kinds of non-blocking operations; who checks is not the PE that was written to. */
static void completes_default(long round) {
  long source[kWords];
  long* const old = shmem_malloc(sizeof *old);
  long fetched = -1;
  const int to = check_right(1), third = check_right(2), writer = check_right(1);
  *old = 100 + check_me;
  shmem_barrier_all();
  for (int i = 0; i < kWords; ++i) source[i] = round * 1000000L + check_me * 1000L + i;
  shmem_long_put_nbi(g_box, source, kWords, to);
  shmem_long_atomic_fetch_add_nbi(&fetched, old, 5, to);
  shmem_barrier_all();
  CHECK_EQ(fetched, 100 + to, "value fetched before the barrier");
  CHECK_EQ(*old, 105 + check_me, "own word");
  for (int i = 0; i < kWords; i += 73) {
    CHECK_EQ(shmem_long_g(&g_box[i], third), round * 1000000L + writer * 1000L + i, "word %d of a put, read by a third",
             i);
  }
  shmem_barrier_all();
  shmem_long_get_nbi(g_back, g_box, kWords, to);
  shmem_barrier_all();
  for (int i = 0; i < kWords; ++i) {
    if (g_back[i] != round * 1000000L + check_me * 1000L + i) {
      CHECK_EQ(g_back[i], round * 1000000L + check_me * 1000L + i, "word %d of a get_nbi", i);
      break;
    }
  }
  shmem_free(old);
}

/* What is pending on another context is neither lost nor harmed by barriers. */
static void leaves_others_alone(shmem_ctx_t ctx, long round) {
  long source[kWords];
  for (int i = 0; i < kWords; ++i) source[i] = round * 7000000L + check_me * 1000L + i;
  shmem_ctx_long_put_nbi(ctx, g_other, source, kWords, check_right(1));
  shmem_barrier_all();
  shmem_sync_all();
  shmem_ctx_quiet(ctx);
  shmem_sync_all();
  for (int i = 0; i < kWords; i += 37) {
    CHECK_EQ(g_other[i], round * 7000000L + check_right(-1) * 1000L + i, "word %d put on a context", i);
  }
  shmem_sync_all();
}

static void shows_stores(void (*meet)(void), const char* what, long round) {
  for (int i = 0; i < 4; ++i) g_stored[i] = round * 10 + i;
  meet();
  for (int i = 0; i < 4; ++i) {
    const long* const theirs = shmem_ptr(&g_stored[i], check_right(1));
    const long value = theirs ? *(const volatile long*)theirs : shmem_long_g(&g_stored[i], check_right(1));
    CHECK_EQ(value, round * 10 + i, "store %d before %s", i, what);
  }
  meet();
}

/* Stores past the caches, which are in no order with others: into what another PE then reads as its own. */
static void shows_streamed(void (*meet)(void), const char* what) {
#if defined(__SSE2__)
  enum { kTimes = 500, kLines = 8, kInts = 16 };
  static int lines[2][kLines][kInts];
  int(*const theirs)[kLines][kInts] = shmem_ptr(lines, check_right(1));
  const int come = shmem_ptr(lines, check_right(-1)) != NULL; /* of the PE that writes here */
  int early = 0;
  for (int round = 1; round <= kTimes; ++round) {
    for (int k = 0; k < kLines && theirs != NULL; ++k) _mm_stream_si32(&theirs[round % 2][k][1], round);
    meet();
    for (int k = 0; k < kLines && come; ++k) early += *(volatile int*)&lines[round % 2][k][1] != round;
  }
  CHECK_EQ(early, 0, "streaming stores that came behind %s", what);
  meet();
#endif
}

static void sync_world(void) { shmem_team_sync(SHMEM_TEAM_WORLD); }

int main(void) {
  shmem_ctx_t ctx;
  check_begin();
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "no context");
  for (long round = 1; round <= kRounds; ++round) {
    completes_default(round);
    leaves_others_alone(ctx, round);
    shows_stores(shmem_barrier_all, "shmem_barrier_all", 3 * round);
    shows_stores(shmem_sync_all, "shmem_sync_all", 3 * round + 1);
    shows_stores(sync_world, "shmem_team_sync", 3 * round + 2);
  }
  shows_streamed(shmem_barrier_all, "shmem_barrier_all");
  shmem_barrier_all();
  shows_streamed(shmem_sync_all, "shmem_sync_all");
  shmem_barrier_all();
  shows_streamed(sync_world, "shmem_team_sync");
  shmem_ctx_destroy(ctx);
  return check_end();
}
