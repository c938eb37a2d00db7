/* 1.2 shmem_init and shmem_init_thread may be called many times; only the last shmem_finalize ends the library, the
 * others are barriers and keep everything: heap, contexts, contents, PE numbers. */
#include "../check.h"

enum { kExtra = 9 };
static long counter, seen_before;

static int is_initialised(void) {
  int initialized = -1;
  shmem_query_initialized(&initialized);
  return initialized != 0;
}

int main(void) {
  long* block;
  shmem_ctx_t ctx;
  int provided = -1, again = -1, i, to;
  check_begin();
  to = check_right(1);
  shmem_query_thread(&provided);
  block = (long*)shmem_malloc(1000 * sizeof(long));
  REQUIRE(block != NULL, "shmem_malloc");
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  for (i = 0; i < 1000; ++i) block[i] = check_me * 1000L + i;
  shmem_barrier_all();

  for (i = 0; i < kExtra; ++i) {
    if (i % 2) {
      shmem_init();
    } else {
      int level = -1;
      CHECK_EQ(shmem_init_thread(SHMEM_THREAD_SINGLE, &level), 0, "init_thread number %d", i);
      CHECK(level >= SHMEM_THREAD_SINGLE && level <= SHMEM_THREAD_MULTIPLE, "provided %d", level);
    }
    CHECK_EQ(shmem_my_pe(), check_me, "my_pe after another init");
    CHECK_EQ(shmem_n_pes(), check_n, "n_pes after another init");
    CHECK_EQ(block[i], check_me * 1000L + i, "another init keeps the heap");
  }
  shmem_query_thread(&again);
  CHECK(again >= SHMEM_THREAD_SINGLE, "query_thread gives %d", again);

  for (i = 0; i < kExtra; ++i) {
    /* A finalize that is not the last is a barrier: everybody's add arrived before anybody leaves it. */
    shmem_long_atomic_inc(&counter, 0);
    if (check_me == check_n - 1) check_sleep_ms(10);
    STEP("a finalize that is not the last");
    shmem_finalize();
    CHECK(is_initialised(), "after finalize number %d of %d", i + 1, kExtra + 1);
    seen_before = shmem_long_atomic_fetch(&counter, 0);
    CHECK(seen_before >= (long)(i + 1) * check_n, "finalize %d left early: %ld adds", i + 1, seen_before);
    shmem_ctx_long_p(ctx, &block[i], -7 - i, to);
    shmem_ctx_quiet(ctx);
    CHECK_EQ(shmem_long_g(&block[i], to), -7 - i, "heap and context work after finalize number %d", i + 1);
    CHECK_EQ(shmem_long_g(&block[999], to), to * 1000L + 999, "contents after finalize number %d", i + 1);
  }
  {
    long* more = (long*)shmem_malloc(sizeof(long));
    CHECK(more != NULL && more != block, "shmem_malloc after inner finalizes");
    shmem_free(more);
  }
  shmem_ctx_destroy(ctx);
  if (check_failures) check_give_up();
  STEP("the last finalize");
  shmem_finalize();
  CHECK(!is_initialised(), "initialised after the last finalize");
  return check_result();
}
