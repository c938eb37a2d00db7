/* Points 12.9 and 0.8: the C11 generics of the collectives, by type. Each call's result says which routine was meant:
 * a wrong width or sign gives another number. */
#include "check.h"

#include <complex.h>

/* clang-format off */
#define NUMBERS(X)                                                                                           \
  X(char) X(signed char) X(short) X(int) X(long) X(long long) X(unsigned char) X(unsigned short)             \
  X(unsigned int) X(unsigned long) X(unsigned long long) X(float) X(double) X(long double)
#define BITS(X)                                                                                              \
  X(unsigned char) X(unsigned short) X(unsigned int) X(unsigned long) X(unsigned long long)                  \
  X(int8_t) X(int16_t) X(int32_t) X(int64_t)
/* clang-format on */

enum { kMostPes = 16 };

/* Element `last` of the target must be `end`; nobody goes on before all have looked. */
#define BOTH(T, call, what, expected, last, end)                                             \
  do {                                                                                       \
    CHECK_EQ(call, 0, what " of " #T);                                                       \
    CHECK(dest[0] == (T)(expected), what " of " #T ": got %Lg", (long double)dest[0]);       \
    CHECK(dest[last] == (T)(end), what " of " #T ", end: got %Lg", (long double)dest[last]); \
    shmem_barrier_all();                                                                     \
  } while (0)
#define ONE(T, call, what, expected)                                                   \
  do {                                                                                 \
    CHECK_EQ(call, 0, what " of " #T);                                                 \
    CHECK(dest[0] == (T)(expected), what " of " #T ": got %Lg", (long double)dest[0]); \
    shmem_barrier_all();                                                               \
  } while (0)

#define MOVE_AND_COUNT(T)                                                                            \
  do {                                                                                               \
    static T source[kMostPes], dest[3 * kMostPes];                                                   \
    const shmem_team_t team = SHMEM_TEAM_WORLD;                                                      \
    const int n = check_n;                                                                           \
    for (int i = 0; i < n; ++i) source[i] = (T)(check_me + 2);                                       \
    shmem_barrier_all();                                                                             \
    ONE(T, shmem_broadcast(team, dest, source, 1, n - 1), "broadcast", n + 1);                       \
    BOTH(T, shmem_collect(team, dest, source, 1), "collect", 2, n - 1, n + 1);                       \
    BOTH(T, shmem_fcollect(team, dest, source, 1), "fcollect", 2, n - 1, n + 1);                     \
    BOTH(T, shmem_alltoall(team, dest, source, 1), "alltoall", 2, n - 1, n + 1);                     \
    BOTH(T, shmem_alltoalls(team, dest, source, 2, 1, 1), "alltoalls", 2, 2 * (n - 1), n + 1);       \
    ONE(T, shmem_max_reduce(team, dest, source, 1), "max_reduce", n + 1);                            \
    ONE(T, shmem_min_reduce(team, dest, source, 1), "min_reduce", 2);                                \
    ONE(T, shmem_sum_reduce(team, dest, source, 1), "sum_reduce", n*(n + 3) / 2);                    \
    source[0] = (T)(check_me == 0 ? 3 : 1);                                                          \
    ONE(T, shmem_prod_reduce(team, dest, source, 1), "prod_reduce", 3);                              \
    ONE(T, shmem_sum_inscan(team, dest, source, 1), "sum_inscan", 3 + check_me);                     \
    ONE(T, shmem_sum_exscan(team, dest, source, 1), "sum_exscan", check_me == 0 ? 0 : 2 + check_me); \
  } while (0);

#define COMBINE_BITS(T)                                                                                    \
  do {                                                                                                     \
    static T source[1], dest[1];                                                                           \
    source[0] = (T)(1 << (check_me % 7) | 0x40);                                                           \
    shmem_barrier_all();                                                                                   \
    ONE(T, shmem_and_reduce(SHMEM_TEAM_WORLD, dest, source, 1), "and_reduce", check_n == 1 ? 0x41 : 0x40); \
    ONE(T, shmem_or_reduce(SHMEM_TEAM_WORLD, dest, source, 1), "or_reduce",                                \
        ((1 << (check_n < 7 ? check_n : 7)) - 1) | 0x40);                                                  \
    source[0] = (T)(check_me == 0 ? 0x11 : 0x20);                                                          \
    ONE(T, shmem_xor_reduce(SHMEM_TEAM_WORLD, dest, source, 1), "xor_reduce", check_n % 2 ? 0x11 : 0x31);  \
  } while (0);

#define COMPLEX(T)                                                                                      \
  do {                                                                                                  \
    static T source[1], dest[1];                                                                        \
    const int n = check_n;                                                                              \
    source[0] = (T)(check_me + 2 * I);                                                                  \
    shmem_barrier_all();                                                                                \
    CHECK_EQ(shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0, "sum_reduce of " #T);              \
    CHECK(dest[0] == (T)(n * (n - 1) / 2 + 2 * n * I), "sum_reduce of " #T ": %g", creal(dest[0]));     \
    CHECK_EQ(shmem_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 1), 0, "sum_inscan of " #T);              \
    CHECK(dest[0] == (T)(check_me * (check_me + 1) / 2 + 2 * (check_me + 1) * I), "sum_inscan of " #T); \
    CHECK_EQ(shmem_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 1), 0, "sum_exscan of " #T);              \
    CHECK(dest[0] == (T)(check_me * (check_me - 1) / 2 + 2 * check_me * I), "sum_exscan of " #T);       \
    shmem_barrier_all();                                                                                \
    source[0] = (T)(check_me == 0 ? 3 + I : 1);                                                         \
    CHECK_EQ(shmem_prod_reduce(SHMEM_TEAM_WORLD, dest, source, 1), 0, "prod_reduce of " #T);            \
    CHECK(dest[0] == (T)(3 + I), "prod_reduce of " #T ": %g", creal(dest[0]));                          \
    shmem_barrier_all();                                                                                \
  } while (0);

int main(void) {
  static long psync[SHMEM_SYNC_SIZE];
  check_begin();
  REQUIRE(check_n <= kMostPes, "%d PEs are more than this test has room for", check_n);
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) psync[i] = SHMEM_SYNC_VALUE;
  NUMBERS(MOVE_AND_COUNT)
  BITS(COMBINE_BITS)
  COMPLEX(double _Complex)
  COMPLEX(float _Complex)
  /* One name, told apart by the number of arguments. */
  shmem_barrier_all();
  shmem_sync(0, 0, check_n, psync);
  CHECK_EQ(shmem_sync(SHMEM_TEAM_WORLD), 0, "shmem_sync of a team");
  return check_end();
}
