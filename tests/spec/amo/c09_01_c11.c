/* Points 9.1 and 9.5 through the C11 generic names, with and without a context, for every type name of the three sets.
 */
#include "check.h"
#include "types.h"

#define EXTENDED(NAME, TYPE)                                                                    \
  static TYPE g_ext_##NAME;                                                                     \
  static void extended_##NAME(shmem_ctx_t ctx, int pe) {                                        \
    TYPE* const word = &g_ext_##NAME;                                                           \
    TYPE later[4];                                                                              \
    shmem_atomic_set(word, (TYPE)5, pe);                                                        \
    shmem_quiet();                                                                              \
    CHECK(shmem_atomic_fetch(word, pe) == (TYPE)5, #NAME ": set, fetch");                       \
    CHECK(sizeof(shmem_atomic_fetch(word, pe)) == sizeof(TYPE), #NAME ": the type of fetch");   \
    shmem_atomic_set(ctx, word, (TYPE)6, pe);                                                   \
    shmem_ctx_quiet(ctx);                                                                       \
    CHECK(shmem_atomic_fetch(ctx, word, pe) == (TYPE)6, #NAME ": set, fetch with a context");   \
    CHECK(shmem_atomic_swap(word, (TYPE)7, pe) == (TYPE)6, #NAME ": swap");                     \
    CHECK(shmem_atomic_swap(ctx, word, (TYPE)8, pe) == (TYPE)7, #NAME ": swap with a context"); \
    shmem_atomic_fetch_nbi(&later[0], word, pe);                                                \
    shmem_atomic_fetch_nbi(ctx, &later[1], word, pe);                                           \
    shmem_quiet();                                                                              \
    shmem_ctx_quiet(ctx);                                                                       \
    shmem_atomic_swap_nbi(&later[2], word, (TYPE)9, pe);                                        \
    shmem_quiet();                                                                              \
    shmem_atomic_swap_nbi(ctx, &later[3], word, (TYPE)10, pe);                                  \
    shmem_ctx_quiet(ctx);                                                                       \
    CHECK(later[0] == (TYPE)8 && later[1] == (TYPE)8, #NAME ": fetch_nbi");                     \
    CHECK(later[2] == (TYPE)8 && later[3] == (TYPE)9, #NAME ": swap_nbi");                      \
    CHECK(shmem_g(word, pe) == (TYPE)10, #NAME ": at the end");                                 \
  }
SPEC_AMO_EXTENDED(EXTENDED)

#define STANDARD(NAME, TYPE)                                                                             \
  static TYPE g_std_##NAME;                                                                              \
  static void standard_##NAME(shmem_ctx_t ctx, int pe) {                                                 \
    TYPE* const word = &g_std_##NAME;                                                                    \
    TYPE later[6];                                                                                       \
    int i;                                                                                               \
    CHECK(shmem_atomic_compare_swap(word, (TYPE)0, (TYPE)10, pe) == 0, #NAME ": compare_swap");          \
    CHECK(shmem_atomic_compare_swap(ctx, word, (TYPE)10, (TYPE)20, pe) == 10, #NAME ": with a context"); \
    CHECK(shmem_atomic_fetch_inc(word, pe) == 20, #NAME ": fetch_inc");                                  \
    CHECK(shmem_atomic_fetch_inc(ctx, word, pe) == 21, #NAME ": fetch_inc with a context");              \
    CHECK(shmem_atomic_fetch_add(word, (TYPE)3, pe) == 22, #NAME ": fetch_add");                         \
    CHECK(shmem_atomic_fetch_add(ctx, word, (TYPE)5, pe) == 25, #NAME ": fetch_add with a context");     \
    shmem_atomic_inc(word, pe);                                                                          \
    shmem_atomic_inc(ctx, word, pe);                                                                     \
    shmem_atomic_add(word, (TYPE)7, pe);                                                                 \
    shmem_atomic_add(ctx, word, (TYPE)11, pe);                                                           \
    shmem_quiet();                                                                                       \
    shmem_ctx_quiet(ctx);                                                                                \
    for (i = 0; i < 6; ++i) {                                                                            \
      switch (i) {                                                                                       \
        case 0: shmem_atomic_compare_swap_nbi(&later[i], word, (TYPE)50, (TYPE)60, pe); break;           \
        case 1: shmem_atomic_compare_swap_nbi(ctx, &later[i], word, (TYPE)60, (TYPE)70, pe); break;      \
        case 2: shmem_atomic_fetch_inc_nbi(&later[i], word, pe); break;                                  \
        case 3: shmem_atomic_fetch_inc_nbi(ctx, &later[i], word, pe); break;                             \
        case 4: shmem_atomic_fetch_add_nbi(&later[i], word, (TYPE)4, pe); break;                         \
        default: shmem_atomic_fetch_add_nbi(ctx, &later[i], word, (TYPE)8, pe);                          \
      }                                                                                                  \
      shmem_quiet();                                                                                     \
      shmem_ctx_quiet(ctx);                                                                              \
    }                                                                                                    \
    CHECK(later[0] == 50 && later[1] == 60, #NAME ": compare_swap_nbi");                                 \
    CHECK(later[2] == 70 && later[3] == 71, #NAME ": fetch_inc_nbi");                                    \
    CHECK(later[4] == 72 && later[5] == 76, #NAME ": fetch_add_nbi");                                    \
    CHECK(shmem_g(word, pe) == 84, #NAME ": at the end");                                                \
  }
SPEC_AMO_STANDARD(STANDARD)

#define BITWISE(NAME, TYPE)                                                                       \
  static TYPE g_bit_##NAME;                                                                       \
  static void bitwise_##NAME(shmem_ctx_t ctx, int pe) {                                           \
    TYPE* const word = &g_bit_##NAME;                                                             \
    TYPE later[6];                                                                                \
    int i;                                                                                        \
    shmem_atomic_or(word, (TYPE)0xFF, pe);                                                        \
    shmem_quiet();                                                                                \
    shmem_atomic_or(ctx, word, (TYPE)0xF00, pe);                                                  \
    shmem_ctx_quiet(ctx);                                                                         \
    CHECK(shmem_atomic_fetch_and(word, (TYPE)0xF0F, pe) == 0xFFF, #NAME ": or, fetch_and");       \
    CHECK(shmem_atomic_fetch_and(ctx, word, (TYPE)0xF0C, pe) == 0xF0F, #NAME ": fetch_and, ctx"); \
    CHECK(shmem_atomic_fetch_or(word, (TYPE)0x1, pe) == 0xF0C, #NAME ": fetch_or");               \
    CHECK(shmem_atomic_fetch_or(ctx, word, (TYPE)0x2, pe) == 0xF0D, #NAME ": fetch_or, ctx");     \
    CHECK(shmem_atomic_fetch_xor(word, (TYPE)0xFF, pe) == 0xF0F, #NAME ": fetch_xor");            \
    CHECK(shmem_atomic_fetch_xor(ctx, word, (TYPE)0xF, pe) == 0xFF0, #NAME ": fetch_xor, ctx");   \
    shmem_atomic_xor(word, (TYPE)0xF00F, pe);                                                     \
    shmem_quiet();                                                                                \
    shmem_atomic_and(word, (TYPE)0xFF0, pe);                                                      \
    shmem_quiet();                                                                                \
    shmem_atomic_xor(ctx, word, (TYPE)0xF, pe);                                                   \
    shmem_ctx_quiet(ctx);                                                                         \
    shmem_atomic_and(ctx, word, (TYPE)0xFF, pe);                                                  \
    shmem_ctx_quiet(ctx);                                                                         \
    for (i = 0; i < 6; ++i) {                                                                     \
      switch (i) {                                                                                \
        case 0: shmem_atomic_fetch_and_nbi(&later[i], word, (TYPE)0x3F, pe); break;               \
        case 1: shmem_atomic_fetch_and_nbi(ctx, &later[i], word, (TYPE)0xF, pe); break;           \
        case 2: shmem_atomic_fetch_or_nbi(&later[i], word, (TYPE)0x10, pe); break;                \
        case 3: shmem_atomic_fetch_or_nbi(ctx, &later[i], word, (TYPE)0x20, pe); break;           \
        case 4: shmem_atomic_fetch_xor_nbi(&later[i], word, (TYPE)0x3, pe); break;                \
        default: shmem_atomic_fetch_xor_nbi(ctx, &later[i], word, (TYPE)0x30, pe);                \
      }                                                                                           \
      shmem_quiet();                                                                              \
      shmem_ctx_quiet(ctx);                                                                       \
    }                                                                                             \
    CHECK(later[0] == BITS_START && later[1] == (BITS_START & 0x3F), #NAME ": fetch_and_nbi");    \
    CHECK(later[2] == (BITS_START & 0xF) && later[3] == 0x1F, #NAME ": fetch_or_nbi");            \
    CHECK(later[4] == 0x3F && later[5] == 0x3C, #NAME ": fetch_xor_nbi");                         \
    CHECK(shmem_g(word, pe) == 0xC, #NAME ": at the end");                                        \
  }
/* 0xFFF & 0xF0F = 0xF0F; & 0xF0C = 0xF0C; | 3 = 0xF0F; ^ 0xFF = 0xFF0; ^ 0xF = 0xFFF; ^ 0xF00F = 0xFFF0;
 * & 0xFF0 = 0xFF0; ^ 0xF = 0xFFF; & 0xFF = 0xFF. */
enum { BITS_START = 0xFF };
SPEC_AMO_BITWISE(BITWISE)

int main(void) {
  shmem_ctx_t ctx;
  check_begin();
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
#define RUN_EXTENDED(NAME, TYPE) extended_##NAME(ctx, check_right(1));
#define RUN_STANDARD(NAME, TYPE) standard_##NAME(ctx, check_right(1));
#define RUN_BITWISE(NAME, TYPE) bitwise_##NAME(ctx, check_right(1));
  SPEC_AMO_EXTENDED(RUN_EXTENDED)
  SPEC_AMO_STANDARD(RUN_STANDARD)
  SPEC_AMO_BITWISE(RUN_BITWISE)
  shmem_ctx_destroy(ctx);
  return check_end();
}
