/* Points 13.4 to 13.10 through the C11 generic names, for all 12 type names, and short where the table allows it. */
#include "check.h"
#include "types.h"

enum { kCount = 4 };

#define GENERIC(NAME, TYPE)                                                                                      \
  static TYPE g_##NAME[kCount];                                                                                  \
  static void test_##NAME(int to) {                                                                              \
    static const int status[kCount] = {0, 1, 0, 1};                                                              \
    const TYPE values[kCount] = {(TYPE)5, (TYPE)6, (TYPE)7, (TYPE)8};                                            \
    TYPE* const v = g_##NAME;                                                                                    \
    size_t at[kCount], i;                                                                                        \
    for (i = 0; i < kCount; ++i) shmem_atomic_set(v + i, values[i], to);                                         \
    shmem_wait_until(v + 3, SHMEM_CMP_EQ, (TYPE)8);                                                              \
    shmem_wait_until_all(v, kCount, NULL, SHMEM_CMP_GE, (TYPE)5);                                                \
    shmem_wait_until_all_vector(v, kCount, status, SHMEM_CMP_EQ, values);                                        \
    CHECK_EQ(shmem_wait_until_any(v, kCount, status, SHMEM_CMP_EQ, (TYPE)7), 2, #NAME ": wait_until_any");       \
    CHECK_EQ(shmem_wait_until_any_vector(v, 1, NULL, SHMEM_CMP_EQ, values), 0, #NAME ": wait_until_any_vector"); \
    CHECK_EQ(shmem_wait_until_some(v, kCount, at, NULL, SHMEM_CMP_LE, (TYPE)6), 2, #NAME ": wait_until_some");   \
    CHECK_EQ(shmem_wait_until_some_vector(v, kCount, at, status, SHMEM_CMP_EQ, values), 2,                       \
             #NAME ": wait_some_vector");                                                                        \
    CHECK_EQ(at[0] + at[1], 2, #NAME ": indices 0 and 2");                                                       \
    CHECK_EQ(shmem_test(v, SHMEM_CMP_NE, (TYPE)5), 0, #NAME ": test");                                           \
    CHECK_EQ(shmem_test_all(v, kCount, NULL, SHMEM_CMP_LT, (TYPE)9), 1, #NAME ": test_all");                     \
    CHECK_EQ(shmem_test_any(v, kCount, NULL, SHMEM_CMP_GT, (TYPE)7), 3, #NAME ": test_any");                     \
    CHECK_EQ(shmem_test_some(v, kCount, at, status, SHMEM_CMP_GT, (TYPE)5), 1, #NAME ": test_some");             \
    CHECK_EQ(at[0], 2, #NAME ": test_some's index");                                                             \
    CHECK_EQ(shmem_test_all_vector(v, kCount, NULL, SHMEM_CMP_EQ, values), 1, #NAME ": test_all_vector");        \
    CHECK_EQ(shmem_test_any_vector(v, kCount, NULL, SHMEM_CMP_GT, values), SIZE_MAX, #NAME ": test_any_vector"); \
    CHECK_EQ(shmem_test_some_vector(v, kCount, at, NULL, SHMEM_CMP_EQ, values), 4, #NAME ": test_some_vector");  \
  }
SPEC_SYNC_TYPES(GENERIC)

int main(void) {
  check_begin();
#define RUN(NAME, TYPE) test_##NAME(check_right(1));
  SPEC_SYNC_TYPES(RUN)
  shmem_barrier_all();
  return check_end();
}
