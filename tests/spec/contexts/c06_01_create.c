/* Point 6.1: ctx_create is local: any PE creates as many as it likes, whenever it likes, without the others. When it
 * fails it says so with a nonzero result AND SHMEM_CTX_INVALID, the library stays usable, and a later try may succeed.
 */
#include "check.h"

enum { kMost = 4000 };

static long g_word[64];
static shmem_ctx_t g_many[kMost];

static int use(shmem_ctx_t ctx, long value) {
  const int to = check_right(1);
  shmem_ctx_long_p(ctx, &g_word[check_me], value, to);
  shmem_ctx_quiet(ctx);
  return shmem_ctx_long_g(ctx, &g_word[check_me], to) == value;
}

/* Only this PE creates, while the others are elsewhere. */
static void local(void) {
  if (check_me == check_n - 1)
    for (int i = 0; i < 20; ++i) {
      shmem_ctx_t ctx = SHMEM_CTX_INVALID;
      CHECK_EQ(shmem_ctx_create(0, &ctx), 0, "ctx_create by one PE alone");
      CHECK(ctx != SHMEM_CTX_INVALID && ctx != SHMEM_CTX_DEFAULT, "the handle of a new context");
      CHECK(use(ctx, i + 1), "a put and a get on it");
      shmem_ctx_destroy(ctx);
    }
  /* different numbers on different PEs, then everybody together */
  for (int i = 0; i <= check_me; ++i) CHECK_EQ(shmem_ctx_create(0, &g_many[i]), 0, "ctx_create");
  shmem_barrier_all();
  for (int i = 0; i <= check_me; ++i) CHECK(use(g_many[i], 100 + i), "context %d", i);
  for (int i = 0; i <= check_me; ++i) {
    for (int k = 0; k < i; ++k) CHECK(g_many[i] != g_many[k], "contexts %d and %d are the same", i, k);
    CHECK(i == 0 || g_many[i] != SHMEM_CTX_INVALID, "a live context compares equal to INVALID");
  }
  for (int i = 0; i <= check_me; ++i) shmem_ctx_destroy(g_many[i]);
  shmem_barrier_all();
}

/* Until it fails, or enough: both are right. Each PE on its own. */
static void until_it_fails(void) {
  int n = 0, result = 0;
  while (n < kMost && result == 0) {
    g_many[n] = SHMEM_CTX_DEFAULT; /* a failure must overwrite it */
    result = shmem_ctx_create(n % 3 == 0 ? SHMEM_CTX_PRIVATE : n % 3 == 1 ? SHMEM_CTX_SERIALIZED : 0, &g_many[n]);
    if (result == 0) {
      CHECK(g_many[n] != SHMEM_CTX_INVALID, "context %d was made, but its handle is INVALID", n);
      ++n;
    }
  }
  if (result != 0) CHECK(g_many[n] == SHMEM_CTX_INVALID, "number %d failed, but its handle is not INVALID", n);
  CHECK(n >= 1, "not even one context could be made");
  CHECK(use(SHMEM_CTX_DEFAULT, 7), "the default context after that");
  if (n > 0) {
    CHECK(use(g_many[0], 8) && use(g_many[n / 2], 9) && use(g_many[n - 1], 10), "contexts made before the failure");
    shmem_ctx_destroy(g_many[--n]);
    CHECK_EQ(shmem_ctx_create(0, &g_many[n]), 0, "one more try, after one was given back");
    CHECK(use(g_many[n], 11), "that one");
  }
  for (int i = 0; i <= n; ++i) shmem_ctx_destroy(g_many[i]);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= 64, "too many PEs");
  STEP("local");
  local();
  STEP("until it fails");
  until_it_fails();
  shmem_barrier_all();
  return check_end();
}
