/* Point 8.1 in plain C: put, get, p and g of all 24 type names and 5 sizes, called with constant and with variable
 * counts, so that both kinds of inline bodies are compiled as C. */
#include "check.h"
#include "types.h"

enum { kMost = 9 };

#define TYPED(NAME, TYPE)                                                                       \
  static TYPE g_target_##NAME[kMost + 2];                                                       \
  static void test_##NAME(size_t n, int to, int from) {                                         \
    TYPE source[kMost + 2], seen[kMost + 2];                                                    \
    size_t i;                                                                                   \
    for (i = 0; i < kMost + 2; ++i) {                                                           \
      source[i] = (TYPE)(check_me * 20 + (int)i + 1);                                           \
      g_target_##NAME[i] = (TYPE)0;                                                             \
      seen[i] = (TYPE)0;                                                                        \
    }                                                                                           \
    shmem_barrier_all();                                                                        \
    shmem_##NAME##_put(g_target_##NAME, source, n, to);                                         \
    shmem_##NAME##_put(g_target_##NAME + kMost, source + kMost, 1, to);                         \
    shmem_##NAME##_p(g_target_##NAME + kMost + 1, source[kMost + 1], to);                       \
    shmem_barrier_all();                                                                        \
    for (i = 0; i < kMost + 2; ++i)                                                             \
      CHECK(g_target_##NAME[i] == (TYPE)(i >= n && i < kMost ? 0 : from * 20 + (int)i + 1),     \
            #NAME ": element %zu after a put of %zu", i, n);                                    \
    shmem_##NAME##_get(seen, g_target_##NAME, n, to);                                           \
    shmem_##NAME##_get(seen + kMost, g_target_##NAME + kMost, 1, to);                           \
    for (i = 0; i < kMost + 1; ++i)                                                             \
      CHECK(seen[i] == (TYPE)(i >= n && i < kMost ? 0 : check_me * 20 + (int)i + 1),            \
            #NAME ": element %zu after a get of %zu", i, n);                                    \
    CHECK(shmem_##NAME##_g(g_target_##NAME + kMost + 1, to) == source[kMost + 1], #NAME ": g"); \
    shmem_barrier_all();                                                                        \
  }
SPEC_RMA_TYPES(TYPED)

#define SIZED(BITS, BYTES)                                                                           \
  static union {                                                                                     \
    unsigned char byte[64 * BYTES];                                                                  \
    long double align;                                                                               \
  } g_sized_##BITS;                                                                                  \
  static void test_##BITS(size_t n, int to, int from) {                                              \
    union {                                                                                          \
      unsigned char byte[64 * BYTES];                                                                \
      long double align;                                                                             \
    } mine;                                                                                          \
    memset(&g_sized_##BITS, 0, sizeof g_sized_##BITS);                                               \
    check_fill(&mine, check_me, sizeof mine);                                                        \
    shmem_barrier_all();                                                                             \
    shmem_put##BITS(&g_sized_##BITS, &mine, n, to);                                                  \
    shmem_put##BITS(g_sized_##BITS.byte + 63 * BYTES, mine.byte + 63 * BYTES, 1, to);                \
    shmem_barrier_all();                                                                             \
    CHECK_EQ(check_find_wrong(&g_sized_##BITS, from, n* BYTES), n* BYTES, "put" #BITS " of %zu", n); \
    CHECK_EQ(g_sized_##BITS.byte[n * BYTES], 0, "behind a put" #BITS " of %zu", n);                  \
    CHECK_EQ(g_sized_##BITS.byte[63 * BYTES - 1], 0, "before a put" #BITS " of one");                \
    CHECK_EQ(g_sized_##BITS.byte[64 * BYTES - 1], check_byte(from, 64 * BYTES - 1), "put" #BITS);    \
    memset(&mine, 0, sizeof mine);                                                                   \
    shmem_get##BITS(&mine, &g_sized_##BITS, n, to);                                                  \
    CHECK_EQ(check_find_wrong(&mine, check_me, n* BYTES), n* BYTES, "get" #BITS " of %zu", n);       \
    CHECK_EQ(mine.byte[n * BYTES], 0, "behind a get" #BITS " of %zu", n);                            \
    shmem_barrier_all();                                                                             \
  }
SPEC_SIZES(SIZED)

int main(void) {
  size_t n;
  check_begin();
#define RUN(NAME, ANY) test_##NAME(n, check_right(1), check_right(-1));
  for (n = 0; n <= kMost; n += 3) {
    SPEC_RMA_TYPES(RUN)
    SPEC_SIZES(RUN)
  }
  return check_end();
}
