/* Points 8.1, 8.2 and 8.4 through the C11 generic names: with and without a context, for the types that C tells apart.
 * Every call's effect is checked on the target. */
#include "check.h"
#include "types.h"

#define C11_TYPES(X) SPEC_FLOATS(X) X(longdouble, long double) SPEC_DISTINCT_INTEGERS(X) SPEC_FIXED_ALIASES(X)

enum { kCount = 40 };

#define GENERIC(NAME, TYPE)                                                                                            \
  static TYPE g_target_##NAME[kCount];                                                                                 \
  static void puts_##NAME(shmem_ctx_t ctx, int to) {                                                                   \
    const TYPE s[4] = {(TYPE)(check_me + 1), (TYPE)(check_me + 2), (TYPE)(check_me + 3), (TYPE)(check_me + 4)};        \
    TYPE* const t = g_target_##NAME;                                                                                   \
    shmem_put(t, s, 2, to);                                                                                            \
    shmem_put(ctx, t + 2, s + 2, (size_t)2, to);                                                                       \
    shmem_p(t + 4, s[0], to);                                                                                          \
    shmem_p(ctx, t + 5, s[1], to);                                                                                     \
    shmem_iput(t + 6, s, 2, 3, 2, to);                                                                                 \
    shmem_iput(ctx, t + 9, s, 2, 1, 2, to);                                                                            \
    shmem_ibput(t + 12, s, 3, 2, 2, 2, to);                                                                            \
    shmem_ibput(ctx, t + 17, s, 3, 2, 1, 2, to);                                                                       \
    shmem_put_nbi(t + 21, s, 3, to);                                                                                   \
    shmem_put_nbi(ctx, t + 24, s + 1, 3, to);                                                                          \
    shmem_ctx_quiet(ctx);                                                                                              \
    shmem_quiet();                                                                                                     \
  }                                                                                                                    \
  static void check_##NAME(int from) {                                                                                 \
    static const int expect[28] = {                                                                                    \
        1, 2, 3, 4, 1, 2, 1, 0, 4, 1, 0, 2, 1, 2, 0, 3, 4, 1, 0, 0, 3, 1, 2, 3, 2, 3, 4, 0};                           \
    int i;                                                                                                             \
    for (i = 0; i < 28; ++i)                                                                                           \
      CHECK(g_target_##NAME[i] == (TYPE)(expect[i] ? from + expect[i] : 0), #NAME ": element %d", i);                  \
  }                                                                                                                    \
  static void gets_##NAME(shmem_ctx_t ctx, int from) {                                                                 \
    const TYPE* const t = g_target_##NAME; /* holds what we put there ourselves */                                     \
    TYPE d[24] = {(TYPE)0};                                                                                            \
    static const int expect[24] = {1, 2, 3, 4, 1, 3, 3, 1, 1, 2, 3, 4, 2, 4, 1, 2, 2, 3, 0};                           \
    int i;                                                                                                             \
    shmem_get(d, t, 2, from);                                                                                          \
    shmem_get(ctx, d + 2, t + 2, 2, from);                                                                             \
    shmem_iget(d + 4, t, 1, 2, 2, from);                                                                               \
    shmem_iget(ctx, d + 6, t + 2, 1, 2, 2, from);                                                                      \
    shmem_ibget(d + 8, t, 2, 2, 2, 2, from);                                                                           \
    shmem_ibget(ctx, d + 12, t + 1, 1, 2, 1, 2, from);                                                                 \
    shmem_get_nbi(d + 14, t, 2, from);                                                                                 \
    shmem_get_nbi(ctx, d + 16, t + 1, 2, from);                                                                        \
    shmem_ctx_quiet(ctx);                                                                                              \
    shmem_quiet();                                                                                                     \
    for (i = 0; i < 24; ++i) CHECK(d[i] == (TYPE)(expect[i] ? check_me + expect[i] : 0), #NAME ": got element %d", i); \
    CHECK(shmem_g(t, from) == (TYPE)(check_me + 1), #NAME ": g");                                                      \
    CHECK(shmem_g(ctx, t + 1, from) == (TYPE)(check_me + 2), #NAME ": g with a context");                              \
    CHECK(sizeof(shmem_g(t, from)) == sizeof(TYPE), #NAME ": the type of g");                                          \
  }
C11_TYPES(GENERIC)

int main(void) {
  shmem_ctx_t ctx;
  int to, from;
  check_begin();
  to = check_right(1);
  from = check_right(-1);
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
#define PUTS(NAME, TYPE) puts_##NAME(ctx, to);
#define CHECKS(NAME, TYPE) check_##NAME(from);
#define GETS(NAME, TYPE) gets_##NAME(ctx, to);
  C11_TYPES(PUTS)
  shmem_barrier_all();
  C11_TYPES(CHECKS)
  C11_TYPES(GETS)
  shmem_ctx_destroy(ctx);
  return check_end();
}
