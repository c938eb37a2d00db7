/* Points 10.1 and 10.6 through the C11 generic names: put_signal and put_signal_nbi with and without a context for the
 * types that C tells apart, signal_add and signal_set with three arguments (the function) and with four (a context). */
#include "check.h"
#include "types.h"

static uint64_t g_signal, g_word;

#define GENERIC(NAME, TYPE)                                                                               \
  static TYPE g_data_##NAME[8];                                                                           \
  static void test_##NAME(shmem_ctx_t ctx, int to, int from) {                                            \
    const TYPE s[2] = {(TYPE)(check_me + 1), (TYPE)(check_me + 2)};                                       \
    int i;                                                                                                \
    g_signal = 0;                                                                                         \
    shmem_barrier_all();                                                                                  \
    shmem_put_signal(g_data_##NAME, s, 2, &g_signal, 1, SHMEM_SIGNAL_ADD, to);                            \
    shmem_put_signal(ctx, g_data_##NAME + 2, s, 2, &g_signal, 10, SHMEM_SIGNAL_ADD, to);                  \
    shmem_put_signal_nbi(g_data_##NAME + 4, s, 2, &g_signal, 100, SHMEM_SIGNAL_ADD, to);                  \
    shmem_put_signal_nbi(ctx, g_data_##NAME + 6, s, 2, &g_signal, 1000, SHMEM_SIGNAL_ADD, to);            \
    CHECK_EQ(shmem_signal_wait_until(&g_signal, SHMEM_CMP_EQ, 1111), 1111, #NAME ": the signals");        \
    for (i = 0; i < 8; ++i) CHECK(g_data_##NAME[i] == (TYPE)(from + 1 + i % 2), #NAME ": element %d", i); \
    shmem_ctx_quiet(ctx);                                                                                 \
    shmem_barrier_all();                                                                                  \
  }
#define C11_TYPES(X) SPEC_FLOATS(X) X(longdouble, long double) SPEC_DISTINCT_INTEGERS(X) SPEC_FIXED_ALIASES(X)
C11_TYPES(GENERIC)

int main(void) {
  shmem_ctx_t ctx;
  int to, from;
  check_begin();
  to = check_right(1);
  from = check_right(-1);
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
#define RUN(NAME, TYPE) test_##NAME(ctx, to, from);
  C11_TYPES(RUN)
  STEP("signal_add and signal_set");
  shmem_signal_set(&g_word, 5, to);
  shmem_quiet();
  shmem_signal_add(ctx, &g_word, 6, to);
  shmem_ctx_quiet(ctx);
  CHECK_EQ(shmem_uint64_g(&g_word, to), 11, "set, add with a context");
  shmem_signal_set(ctx, &g_word, 100, to);
  shmem_ctx_quiet(ctx);
  shmem_signal_add(&g_word, 1, to);
  shmem_signal_add(SHMEM_CTX_DEFAULT, &g_word, 1, to);
  shmem_quiet();
  CHECK_EQ(shmem_uint64_g(&g_word, to), 102, "set with a context, two adds");
  shmem_barrier_all();
  CHECK_EQ(shmem_signal_fetch(&g_word), 102, "own word");
  (void)from;
  shmem_ctx_destroy(ctx);
  return check_end();
}
