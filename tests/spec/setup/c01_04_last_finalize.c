/* 1.4 The last finalize is a global barrier, completes what is pending, takes shareable contexts along, and the process
 * goes on: its statics, its stdio and its private memory are as before. */
#include "../check.h"

enum { kWords = 4096 };
static long arrived[kWords];
static long last_word;
static const char message[] = "still printing";

int main(void) {
  long* source;
  shmem_ctx_t shareable = SHMEM_CTX_INVALID, never_used = SHMEM_CTX_INVALID;
  int i, to, initialized = -1;
  check_begin();
  to = check_right(1);
  source = (long*)malloc(kWords * sizeof(long));
  REQUIRE(source != NULL, "malloc");
  for (i = 0; i < kWords; ++i) source[i] = check_me * 10000L + i;
  REQUIRE(shmem_ctx_create(0, &shareable) == 0 && shmem_ctx_create(SHMEM_CTX_SERIALIZED, &never_used) == 0,
          "ctx_create");
  shmem_barrier_all();
  if (check_me == check_n - 1) check_sleep_ms(200);
  shmem_long_put_nbi(arrived, source, kWords, to);           /* pending on the default context */
  shmem_ctx_long_p(shareable, &last_word, check_me + 1, to); /* and on one that nobody destroys */
  STEP("the last finalize");
  shmem_finalize();

  /* Everybody's pending puts are here although the last PE was late: finalize was a barrier. */
  {
    const int from = check_right(-1);
    for (i = 0; i < kWords; ++i)
      if (arrived[i] != from * 10000L + i) break;
    CHECK(i == kWords, "word %d is %ld", i, arrived[i]);
    CHECK_EQ(last_word, from + 1, "put on a context that finalize destroyed");
  }
  shmem_query_initialized(&initialized);
  CHECK_EQ(initialized, 0, "query_initialized after the last finalize");
  STEP("a finalize too many, as old programs have it: nothing is left that it could end");
  shmem_finalize();
  last_word = 5;
  CHECK_EQ(last_word, 5, "statics are still memory");
  CHECK_EQ(source[7], check_me * 10000L + 7, "private memory");
  free(source);
  if (check_failures == 0) printf("PE %d %s\n", check_me, message);
  fflush(stdout);
  return check_result();
}
