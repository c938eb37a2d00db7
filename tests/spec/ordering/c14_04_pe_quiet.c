/* Point 14.4 [N]: pe_quiet completes what went to the listed PEs, visible to all; npes 0 returns at once, whatever the
 * pointer; the list may repeat PEs, be in any order, hold the caller, lie in read-only memory; any kind of write; the
 * context form covers its context; fetched values of listed PEs are there. */
#include "litmus.h"

enum { kRounds = 3, kMaxPes = 64 };

static long g_flag, g_counter;
static const int kOnlyZero[1] = {0};

/* The writer tells a third PE after pe_quiet; that one reads the target. */
static void third_party(int way, int form, shmem_ctx_t ctx, long* data, uint64_t* signal, long r) {
  static struct LitmusSource source;
  static long seen[kLitmusWords];
  const int writer = (int)(r % check_n), target = (writer + 1) % check_n, third = (writer + 2) % check_n;
  const int twice[4] = {target, writer, target, target};
  const long value = r * 1000;
  if (check_me == writer) {
    litmus_write(way, ctx, data, signal, &source, value, target);
    if (ctx != SHMEM_CTX_DEFAULT)
      shmem_ctx_pe_quiet(ctx, form ? twice : &target, form ? 4 : 1);
    else if (form)
      shmem_pe_quiet(twice, 4);
    else
      shmem_pe_quiet(&target, 1);
    shmem_long_p(&g_flag, r, third);
  }
  if (check_me == third) {
    shmem_long_wait_until(&g_flag, SHMEM_CMP_EQ, r);
    shmem_long_get(seen, data, (size_t)litmus_words(way), target);
    litmus_expect(seen, way, value, "pe_quiet, and read by a third PE");
  }
  shmem_barrier_all();
}

/* Writes to all PEs, then pe_quiet for a part of them: each listed one has its data; the rest after quiet. */
static void some_of_many(shmem_ctx_t ctx, long* words, int own_ctx) {
  int list[kMaxPes] = {0};
  size_t n = 0;
  long fetched[kMaxPes];
  for (int pe = 0; pe < check_n; ++pe) {
    fetched[pe] = -1;
    shmem_ctx_long_put_nbi(ctx, words + check_me, words + kMaxPes + check_me, 1, pe);
    shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &fetched[pe], &g_counter, pe);
    if (pe % 2 == 0) list[n++] = pe;
  }
  if (own_ctx)
    shmem_ctx_pe_quiet(ctx, list, n);
  else
    shmem_pe_quiet(list, n);
  for (size_t i = 0; i < n; ++i) {
    CHECK_EQ(shmem_long_g(words + check_me, list[i]), words[kMaxPes + check_me], "on listed PE %d", list[i]);
    CHECK(fetched[list[i]] >= 0 && fetched[list[i]] < check_n * 2L, "fetched from listed PE %d: %ld", list[i],
          fetched[list[i]]);
  }
  shmem_ctx_quiet(ctx);
  for (int pe = 0; pe < check_n; ++pe)
    CHECK_EQ(shmem_long_g(words + check_me, pe), words[kMaxPes + check_me], "on PE %d after quiet", pe);
  shmem_barrier_all();
}

static void empty_lists(shmem_ctx_t ctx) {
  shmem_pe_quiet(NULL, 0);
  shmem_ctx_pe_quiet(ctx, NULL, 0);
  shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, NULL, 0);
  shmem_pe_quiet((const int*)(uintptr_t)8, 0); /* never looked at */
  shmem_ctx_pe_quiet(ctx, (const int*)(uintptr_t)8, 0);
  shmem_pe_quiet(kOnlyZero, 0);
  shmem_pe_quiet(kOnlyZero, 1); /* nothing pending */
  shmem_ctx_pe_quiet(ctx, kOnlyZero, 1);
  shmem_ctx_pe_quiet(SHMEM_CTX_INVALID, kOnlyZero, 1);
}

int main(void) {
  shmem_ctx_t ctx;
  uint64_t* signal;
  long *data, *words;
  long r = 0;
  check_begin();
  REQUIRE(check_n <= kMaxPes, "too many PEs");
  data = shmem_calloc(kLitmusWords, sizeof *data);
  signal = shmem_calloc(1, sizeof *signal);
  words = shmem_calloc(2 * kMaxPes, sizeof *words);
  REQUIRE(data && signal && words && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  STEP("empty lists");
  empty_lists(ctx);
  STEP("third party");
  for (int round = 0; round < kRounds; ++round)
    for (int way = 0; way < kLitmusWrites; ++way)
      for (int form = 0; form < 4; ++form)
        third_party(way, form / 2, form % 2 ? ctx : SHMEM_CTX_DEFAULT, data, signal, ++r);
  STEP("some of many");
  words[kMaxPes + check_me] = 100 + check_me;
  some_of_many(SHMEM_CTX_DEFAULT, words, 0);
  words[kMaxPes + check_me] = 200 + check_me;
  some_of_many(ctx, words, 1);
  CHECK_EQ(g_counter, 2L * check_n, "the counter");
  shmem_ctx_destroy(ctx);
  shmem_free(words);
  shmem_free(signal);
  shmem_free(data);
  return check_end();
}
