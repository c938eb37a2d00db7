/* 5.6 An operation of a thread is one of its PE: a quiet by thread B completes what thread A issued before on that
 * context, so B may announce A's data; and a barrier by B completes it as well. */
#include "../check.h"

#include <pthread.h>

enum { kRounds = 60, kWords = 3000 };
static long target[kWords], second[kWords], flag;
static long source[kWords];
static long fetched;
static int round_of, issued;
static shmem_ctx_t ctx;
static pthread_barrier_t step;

static void* issuer(void* unused) {
  (void)unused;
  for (;;) {
    pthread_barrier_wait(&step);
    if (round_of < 0) return NULL;
    shmem_long_put_nbi(target, source, kWords, check_right(1));
    shmem_ctx_long_put_nbi(ctx, second, source, kWords, check_right(1));
    shmem_ctx_long_atomic_fetch_add_nbi(ctx, &fetched, &flag, 0, check_right(1));
    __atomic_store_n(&issued, round_of, __ATOMIC_RELEASE);
    pthread_barrier_wait(&step);
  }
}

int main(void) {
  pthread_t thread;
  int provided = -1, r, i;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  pthread_barrier_init(&step, NULL, 2);
  REQUIRE(pthread_create(&thread, NULL, issuer, NULL) == 0, "pthread_create");
  for (r = 1; r <= kRounds; ++r) {
    const int to = check_right(1), from = check_right(-1);
    for (i = 0; i < kWords; ++i) source[i] = r * 1000000L + check_me * 10000L + i;
    fetched = -1;
    round_of = r;
    shmem_barrier_all();
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step); /* thread A has issued; this is thread B */
    CHECK_EQ(issued, r, "issued");
    if (r % 2) {
      shmem_quiet();
      shmem_ctx_quiet(ctx);
      CHECK(fetched >= r - 1, "fetched value after quiet by another thread: %ld", fetched);
      shmem_long_atomic_set(&flag, r, to);
      STEP("the neighbour's announcement");
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, r);
    } else {
      shmem_ctx_quiet(ctx);
      shmem_barrier_all();
      shmem_long_atomic_set(&flag, r, to);
      shmem_long_wait_until(&flag, SHMEM_CMP_EQ, r);
    }
    for (i = 0; i < kWords; ++i)
      if (target[i] != r * 1000000L + from * 10000L + i || second[i] != target[i]) break;
    CHECK(i == kWords, "round %d, word %d: %ld and %ld", r, i, target[i < kWords ? i : 0], second[i < kWords ? i : 0]);
    shmem_barrier_all();
  }
  round_of = -1;
  pthread_barrier_wait(&step);
  pthread_join(thread, NULL);
  shmem_ctx_destroy(ctx);
  return check_end();
}
