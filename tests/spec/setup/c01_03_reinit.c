/* 1.3 After the last finalize the library may be initialised again in the same process, here 20 times: heap, contexts,
 * static data, waiting, barriers and locks must all work each time, and the heap must be whole again. */
#include "../check.h"

enum { kRounds = 20, kWords = 5000 };

static long here[kWords];         /* .bss */
static long marks[3] = {1, 2, 3}; /* .data */
static long flag, lock, locked;
static long passed_on;

/* All in one function: what the compiler knows of one life has to be right in the next. */
static void lives_in_one_function(void) {
  int life;
  for (life = 1; life <= 3; ++life) {
    shmem_init();
    shmem_barrier_all();
    shmem_long_p(&passed_on, 10 * life + shmem_my_pe(), (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_barrier_all();
    CHECK_EQ(shmem_long_g(&passed_on, (shmem_my_pe() + 1) % shmem_n_pes()), 10 * life + shmem_my_pe(), "life %d", life);
    shmem_finalize();
  }
}

static void one_round(int round) {
  const int to = check_right(1);
  long *block, *big;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  int i;

  /* static data is symmetric again, and what the process had in it survived */
  CHECK_EQ(marks[2], 3 + round, "static data across finalize and init, round %d", round);
  for (i = 0; i < kWords; i += 499) shmem_long_p(&here[i], round * 100000L + i, to);
  shmem_barrier_all();
  for (i = 0; i < kWords; i += 499) CHECK_EQ(here[i], round * 100000L + i, "static data of round %d", round);

  /* the heap is empty again: a block of three quarters of it fits in every round, so nothing leaked */
  big = (long*)shmem_malloc(12 << 20);
  CHECK(big != NULL, "12 of 16 MiB in round %d", round);
  if (big) big[(12 << 20) / sizeof(long) - 1] = 1;
  shmem_free(big);
  block = (long*)shmem_calloc(kWords, sizeof(long));
  REQUIRE(block != NULL, "shmem_calloc in round %d", round);
  CHECK_EQ(block[0] | block[kWords / 2] | block[kWords - 1], 0, "calloc in round %d", round);
  shmem_barrier_all();
  shmem_long_put(block, here, kWords, to);
  shmem_barrier_all();
  CHECK_EQ(block[499], round * 100000L + 499, "heap in round %d", round);

  CHECK_EQ(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx), 0, "ctx_create in round %d", round);
  shmem_ctx_long_atomic_inc(ctx, &flag, to);
  shmem_ctx_quiet(ctx);
  STEP("wait_until in a later round");
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round + 1);
  shmem_ctx_destroy(ctx);

  STEP("locks in a later round");
  shmem_set_lock(&lock);
  shmem_long_p(&locked, shmem_long_g(&locked, 0) + 1, 0);
  shmem_quiet();
  shmem_clear_lock(&lock);
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&locked, 0), (round + 1L) * check_n, "increments under the lock, round %d", round);
  CHECK(shmem_ptr(block, check_me) != NULL, "shmem_ptr in round %d", round);
  marks[2] = 3 + round + 1;
  shmem_barrier_all();
  if (round % 2) shmem_free(block); /* every other round leaves it to finalize */
}

int main(void) {
  int round, me = -1, n = -1, initialized = -1;
  check_watch();
  for (round = 0; round < kRounds; ++round) {
    if (round % 3 == 1) {
      int provided = -1;
      if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) {
        fprintf(stderr, "shmem_init_thread failed in round %d\n", round);
        return 1;
      }
    } else {
      shmem_init();
    }
    check_identify();
    if (round > 0) CHECK(me == check_me && n == check_n, "PE %d of %d became %d of %d", me, n, check_me, check_n);
    me = check_me;
    n = check_n;
    one_round(round);
    if (check_failures) check_give_up();
    STEP("finalize");
    shmem_finalize();
    shmem_query_initialized(&initialized);
    CHECK_EQ(initialized, 0, "query_initialized between rounds");
    /* statics are plain memory between the rounds */
    here[1] = round;
    CHECK_EQ(here[1], round, "static data between rounds");
  }
  lives_in_one_function();
  return check_result();
}
