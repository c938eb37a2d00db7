/* Point 13.10: shmem_wait and its typed forms wait until the value differs from the one given; the short and unsigned
 * short variants of wait_until and test; before C11 also shmem_wait_until for long without a type in its name. */
#include "check.h"

static long g_long;
static int g_int;
static short g_short;
static long long g_longlong;
static unsigned short g_ushort;

/* The others come late, so that the wait is a real one. */
#define WAIT_TEST(NAME, TYPE, OBJECT)                                             \
  do {                                                                            \
    OBJECT = (TYPE)7;                                                             \
    shmem_barrier_all();                                                          \
    if (check_me == 0) check_sleep_ms(2);                                         \
    shmem_##NAME##_p(&OBJECT, (TYPE)(-3), check_right(1));                        \
    shmem_##NAME##_wait(&OBJECT, (TYPE)7);                                        \
    CHECK_EQ(OBJECT, (TYPE)(-3), "shmem_" #NAME "_wait");                         \
    shmem_##NAME##_wait(&OBJECT, (TYPE)7); /* differs already: returns at once */ \
    shmem_barrier_all();                                                          \
  } while (0)

#define SHORT_TEST(NAME, TYPE, OBJECT, LOW, HIGH)                                            \
  do {                                                                                       \
    OBJECT = (TYPE)(LOW);                                                                    \
    CHECK_EQ(shmem_##NAME##_test(&OBJECT, SHMEM_CMP_LT, (TYPE)(HIGH)), 1, #NAME "_test LT"); \
    CHECK_EQ(shmem_##NAME##_test(&OBJECT, SHMEM_CMP_LE, (TYPE)(LOW)), 1, #NAME "_test LE");  \
    CHECK_EQ(shmem_##NAME##_test(&OBJECT, SHMEM_CMP_GT, (TYPE)(HIGH)), 0, #NAME "_test GT"); \
    CHECK_EQ(shmem_##NAME##_test(&OBJECT, SHMEM_CMP_GE, (TYPE)(HIGH)), 0, #NAME "_test GE"); \
    CHECK_EQ(shmem_##NAME##_test(&OBJECT, SHMEM_CMP_EQ, (TYPE)(LOW)), 1, #NAME "_test EQ");  \
    CHECK_EQ(shmem_##NAME##_test(&OBJECT, SHMEM_CMP_NE, (TYPE)(LOW)), 0, #NAME "_test NE");  \
    shmem_barrier_all();                                                                     \
    shmem_##NAME##_p(&OBJECT, (TYPE)(HIGH), check_right(1));                                 \
    shmem_##NAME##_wait_until(&OBJECT, SHMEM_CMP_GE, (TYPE)(HIGH));                          \
    CHECK_EQ(OBJECT, (TYPE)(HIGH), #NAME "_wait_until");                                     \
    shmem_barrier_all();                                                                     \
  } while (0)

int main(void) {
  check_begin();
  STEP("typed wait");
  WAIT_TEST(short, short, g_short);
  WAIT_TEST(int, int, g_int);
  WAIT_TEST(long, long, g_long);
  WAIT_TEST(longlong, long long, g_longlong);
  STEP("shmem_wait");
  g_long = 1;
  shmem_barrier_all();
  shmem_long_p(&g_long, 2, check_right(1));
  shmem_wait(&g_long, 1);
  CHECK_EQ(g_long, 2, "shmem_wait");
  shmem_barrier_all();
  STEP("shmem_wait_until without a type");
  shmem_long_p(&g_long, -9, check_right(1));
  shmem_wait_until(&g_long, SHMEM_CMP_LT, 0);
  CHECK_EQ(g_long, -9, "shmem_wait_until");
  shmem_barrier_all();
  STEP("short");
  SHORT_TEST(short, short, g_short, -30000, 1);
  SHORT_TEST(ushort, unsigned short, g_ushort, 1, 60000);
  return check_end();
}
