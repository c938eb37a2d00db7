/* 3.2, 3.8 What allocates is a barrier that completes the default context: a put before it is seen after it. Other
 * contexts are the program's own duty: a quiet of that context before the call makes its puts visible too. */
#include "../check.h"

static long arrived[64];

int main(void) {
  shmem_ctx_t ctx;
  void *p = NULL, *keep[4] = {NULL, NULL, NULL, NULL};
  long value = 0;
  int kind, round;
  check_begin();
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  for (round = 0; round < 4; ++round) {
    for (kind = 0; kind < 7; ++kind) {
      const int to = check_right(1), from = check_right(-1);
      const char* names[] = {"malloc", "calloc", "align", "malloc_with_hints", "realloc(NULL)", "realloc", "free"};
      long source = check_me * 1000 + ++value;
      if (check_me == (round + kind) % check_n) check_sleep_ms(5);
      shmem_long_put_nbi(&arrived[0], &source, 1, to);
      shmem_long_atomic_set(&arrived[1], source, to);
      shmem_ctx_long_p(ctx, &arrived[2], source, to);
      shmem_ctx_quiet(ctx);
      STEP(names[kind]);
      if (kind == 0) keep[0] = shmem_malloc(100);
      if (kind == 1) keep[1] = shmem_calloc(10, 10);
      if (kind == 2) keep[2] = shmem_align(256, 100);
      if (kind == 3) p = shmem_malloc_with_hints(100, SHMEM_MALLOC_SIGNAL_REMOTE);
      if (kind == 4) keep[3] = shmem_realloc(NULL, 100);
      if (kind == 5) p = shmem_realloc(p, 100000);
      if (kind == 6) shmem_free(p);
      CHECK(kind == 6 || (kind == 3 || kind == 5 ? p : keep[kind < 3 ? kind : 3]) != NULL, "%s", names[kind]);
      CHECK_EQ(arrived[0], from * 1000 + value, "put_nbi before %s", names[kind]);
      CHECK_EQ(arrived[1], from * 1000 + value, "AMO before %s", names[kind]);
      CHECK_EQ(arrived[2], from * 1000 + value, "put on another context before %s", names[kind]);
      shmem_barrier_all();
    }
    for (kind = 0; kind < 4; ++kind) shmem_free(keep[kind]);
  }
  shmem_ctx_destroy(ctx);
  return check_end();
}
