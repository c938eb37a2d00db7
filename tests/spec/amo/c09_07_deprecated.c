/* Point 9.7: the old names without _atomic_ for int, long and long long (fetch, set and swap for float and double too)
 * do what the new ones do. In C11 the generic ones too. */
#include "check.h"

#define STANDARD(X) X(int, int) X(long, long) X(longlong, long long)
#define EXTENDED(X) X(float, float) X(double, double) STANDARD(X)

static union {
  long long align;
  unsigned char byte[16];
} g_room[64];

#if __STDC_VERSION__ >= 201112L
#define GENERIC 1
#else
#define GENERIC 0
#endif

#if GENERIC
#define PICK(TYPED, ANY) (way ? (ANY) : (TYPED))
#else
#define PICK(TYPED, ANY) (TYPED)
#endif

#define EXTENDED_TEST(NAME, TYPE)                                                                        \
  static void extended_##NAME(TYPE* word, int pe, int way) {                                             \
    if (!GENERIC && way) return;                                                                         \
    (void)PICK((shmem_##NAME##_set(word, (TYPE)41, pe), 0), (shmem_set(word, (TYPE)41, pe), 0));         \
    shmem_quiet();                                                                                       \
    CHECK(PICK(shmem_##NAME##_fetch(word, pe), shmem_fetch(word, pe)) == (TYPE)41, #NAME " set, fetch"); \
    CHECK(PICK(shmem_##NAME##_swap(word, (TYPE)17, pe), shmem_swap(word, (TYPE)17, pe)) == (TYPE)41,     \
          #NAME "_swap: old value");                                                                     \
    CHECK(shmem_##NAME##_g(word, pe) == (TYPE)17, #NAME "_swap: new value");                             \
  }
EXTENDED(EXTENDED_TEST)

#define STANDARD_TEST(NAME, TYPE)                                                                               \
  static void standard_##NAME(TYPE* word, int pe, int way) {                                                    \
    if (!GENERIC && way) return;                                                                                \
    shmem_##NAME##_set(word, 10, pe);                                                                           \
    shmem_quiet();                                                                                              \
    CHECK(PICK(shmem_##NAME##_cswap(word, 11, 5, pe), shmem_cswap(word, 11, 5, pe)) == 10, #NAME "_cswap, no"); \
    CHECK(PICK(shmem_##NAME##_cswap(word, 10, 20, pe), shmem_cswap(word, 10, 20, pe)) == 10, #NAME "_cswap");   \
    CHECK(PICK(shmem_##NAME##_finc(word, pe), shmem_finc(word, pe)) == 20, #NAME "_finc");                      \
    CHECK(PICK(shmem_##NAME##_fadd(word, 9, pe), shmem_fadd(word, 9, pe)) == 21, #NAME "_fadd");                \
    (void)PICK((shmem_##NAME##_inc(word, pe), 0), (shmem_inc(word, pe), 0));                                    \
    (void)PICK((shmem_##NAME##_add(word, -40, pe), 0), (shmem_add(word, -40, pe), 0));                          \
    shmem_quiet();                                                                                              \
    CHECK(shmem_##NAME##_g(word, pe) == -9, #NAME ": inc and add");                                             \
  }
STANDARD(STANDARD_TEST)

static void all_names(void* mine, int pe) {
  for (int way = 0; way < 2; ++way) {
#define RUN_EXTENDED(NAME, TYPE) extended_##NAME(mine, pe, way);
    EXTENDED(RUN_EXTENDED)
#define RUN_STANDARD(NAME, TYPE) standard_##NAME(mine, pe, way);
    STANDARD(RUN_STANDARD)
  }
#if !GENERIC
  /* before C11 there is a function for long */
  shmem_long_set(mine, 3, pe);
  CHECK_EQ(shmem_swap(mine, 8, pe), 3, "shmem_swap: old value");
  CHECK_EQ(shmem_long_g(mine, pe), 8, "shmem_swap: new value");
#endif
}

int main(void) {
  void* heap;
  check_begin();
  heap = shmem_malloc(sizeof g_room);
  REQUIRE(heap != NULL, "no memory");
  memset(heap, 0, sizeof g_room);
  shmem_barrier_all();
  all_names(&g_room[check_me], check_right(1));
  all_names(&g_room[check_me], check_me);
  all_names(&g_room[check_me], check_n - 1);
  all_names((char*)heap + check_me * (int)sizeof g_room[0], check_right(1));
  /* all at once on one word */
  shmem_barrier_all();
  memset(g_room, 0, sizeof g_room);
  shmem_barrier_all();
  for (int i = 0; i < 50; ++i) {
    shmem_longlong_add(&g_room[0].align, 3, 0);
    (void)shmem_longlong_finc(&g_room[0].align, 0);
    shmem_longlong_inc(&g_room[0].align, 0);
    (void)shmem_longlong_fadd(&g_room[0].align, -2, 0);
  }
  shmem_barrier_all();
  CHECK_EQ(shmem_longlong_g(&g_room[0].align, 0), 150LL * check_n, "the sum of all PEs");
  shmem_free(heap);
  return check_end();
}
