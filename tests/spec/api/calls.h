/* What the generated program that calls every routine stands on (make_calls.py). Each call works on `target` and
 * `source`, between begin(), which every PE leaves with zeros in the one and its own pattern in the other, and
 * finish(), after which everything has arrived. What the routine should have written is told by want(); agree() then
 * compares all of `target`, so that what nobody wanted counts as well. */
#ifndef WEFT_TESTS_SPEC_API_CALLS_H
#define WEFT_TESTS_SPEC_API_CALLS_H

#include "../check.h"

#include <pshmem.h>
#include <sched.h>

enum { kCallBytes = 8192 };

static unsigned char target[kCallBytes] __attribute__((aligned(64)));
static unsigned char source[kCallBytes] __attribute__((aligned(64)));
static unsigned char work[kCallBytes] __attribute__((aligned(64))) CHECK_UNUSED; /* pWrk */
static unsigned char expected[kCallBytes] __attribute__((aligned(64)));
static unsigned char matters[kCallBytes]; /* 0 where a long double has only padding */
static uint64_t sig CHECK_UNUSED;
static long lock_word CHECK_UNUSED, counter CHECK_UNUSED, flag CHECK_UNUSED;
static long pSync[SHMEM_SYNC_SIZE] CHECK_UNUSED;
static int left, right;
static shmem_ctx_t ctx;
static const char* called = "";

static void begin(const char* name) {
  called = name;
  STEP(name);
  memset(target, 0, sizeof target);
  memset(expected, 0, sizeof expected);
  memset(matters, 1, sizeof matters);
  check_fill(source, check_me, sizeof source);
  sig = 0;
  counter = flag = 0;
  shmem_barrier_all();
}

/* PE 0 is early, so that it really has to wait for the others. */
CHECK_UNUSED static void late(void) {
  if (check_me != 0) check_sleep_ms(1);
}

static void finish(void) {
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
}

/* `target` should hold, as element `at`, what element `from` of `source` is on `pe`; of `size` bytes so many are used:
 * a long double has 10 bytes of value in 16, and what lies in the others may be anything. */
CHECK_UNUSED static void want(size_t size, size_t used, size_t at, int pe, size_t from) {
  size_t i;
  for (i = 0; i < size; ++i) {
    expected[at * size + i] = check_byte(pe, from * size + i);
    matters[at * size + i] = i < used;
  }
}

CHECK_UNUSED static void want_blocks(size_t size, size_t used, int pe, size_t nblocks, size_t bsize, size_t dst,
                                     size_t sst) {
  size_t b, i;
  for (b = 0; b < nblocks; ++b)
    for (i = 0; i < bsize; ++i) want(size, used, b * dst + i, pe, b * sst + i);
}

static void agree(void) {
  size_t i;
  for (i = 0; i < sizeof target; ++i)
    if (matters[i] && target[i] != expected[i]) {
      CHECK(0, "%s: byte %zu is 0x%02x, should be 0x%02x", called, i, target[i], expected[i]);
      return;
    }
}

/* A symmetric block is one that PEs can write into each other's. */
CHECK_UNUSED static void check_block(void* block, size_t bytes) {
  REQUIRE(block != NULL, "%s gave no memory", called);
  shmem_putmem(block, source, bytes, right);
  shmem_barrier_all();
  CHECK(check_find_wrong(block, left, bytes) == bytes, "%s: its memory is not symmetric", called);
  shmem_barrier_all();
}

CHECK_UNUSED static int is_initialised(void) {
  int is = 0;
  shmem_query_initialized(&is);
  return is;
}

/* A value, then a flag, and between them the routine that keeps them apart: who sees the flag sees the value. */
#define CHECK_ORDERED(put, call, set)              \
  do {                                             \
    put;                                           \
    call;                                          \
    set;                                           \
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1); \
    CHECK_EQ(counter, 5, "%s", called);            \
  } while (0)

#endif
