/* 0.3 What is deprecated but not removed is still required: names of setup, memory, AMO and waiting, and the constants
 * with a leading underscore. (Active-set collectives come with the collectives.) */
#include "../check.h"

static int i_word;
static long l_word;
static long long ll_word;
static float f_word;
static double d_word;
static short s_flag;
static unsigned short us_flag;
static long l_flag;
static int i_flag;
static long long ll_flag;

/* Array bounds need integer constant expressions. */
static long bcast_sync[_SHMEM_BCAST_SYNC_SIZE];
static long reduce_sync[_SHMEM_REDUCE_SYNC_SIZE];
static long barrier_sync[_SHMEM_BARRIER_SYNC_SIZE];
static long collect_sync[_SHMEM_COLLECT_SYNC_SIZE];
static long work[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static char name[_SHMEM_MAX_NAME_LEN];

static void constants(void) {
  CHECK_EQ(_SHMEM_SYNC_VALUE, SHMEM_SYNC_VALUE, "_SHMEM_SYNC_VALUE");
  CHECK_EQ(sizeof bcast_sync, sizeof(long) * SHMEM_BCAST_SYNC_SIZE, "_SHMEM_BCAST_SYNC_SIZE");
  CHECK_EQ(sizeof reduce_sync, sizeof(long) * SHMEM_REDUCE_SYNC_SIZE, "_SHMEM_REDUCE_SYNC_SIZE");
  CHECK_EQ(sizeof barrier_sync, sizeof(long) * SHMEM_BARRIER_SYNC_SIZE, "_SHMEM_BARRIER_SYNC_SIZE");
  CHECK_EQ(sizeof collect_sync, sizeof(long) * SHMEM_COLLECT_SYNC_SIZE, "_SHMEM_COLLECT_SYNC_SIZE");
  CHECK_EQ(sizeof work, sizeof(long) * SHMEM_REDUCE_MIN_WRKDATA_SIZE, "_SHMEM_REDUCE_MIN_WRKDATA_SIZE");
  CHECK_EQ(sizeof name, SHMEM_MAX_NAME_LEN, "_SHMEM_MAX_NAME_LEN");
  CHECK_EQ(_SHMEM_MAJOR_VERSION, SHMEM_MAJOR_VERSION, "_SHMEM_MAJOR_VERSION");
  CHECK_EQ(_SHMEM_MINOR_VERSION, SHMEM_MINOR_VERSION, "_SHMEM_MINOR_VERSION");
  CHECK(strcmp(_SHMEM_VENDOR_STRING, SHMEM_VENDOR_STRING) == 0, "%s", _SHMEM_VENDOR_STRING);
  CHECK_EQ(_SHMEM_CMP_EQ, SHMEM_CMP_EQ, "_SHMEM_CMP_EQ");
  CHECK_EQ(_SHMEM_CMP_NE, SHMEM_CMP_NE, "_SHMEM_CMP_NE");
  CHECK_EQ(_SHMEM_CMP_LT, SHMEM_CMP_LT, "_SHMEM_CMP_LT");
  CHECK_EQ(_SHMEM_CMP_LE, SHMEM_CMP_LE, "_SHMEM_CMP_LE");
  CHECK_EQ(_SHMEM_CMP_GT, SHMEM_CMP_GT, "_SHMEM_CMP_GT");
  CHECK_EQ(_SHMEM_CMP_GE, SHMEM_CMP_GE, "_SHMEM_CMP_GE");
  /* The sizes of 1.3 and 1.4 that have no older spelling. */
  CHECK(SHMEM_SYNC_SIZE > 0 && SHMEM_ALLTOALL_SYNC_SIZE > 0 && SHMEM_ALLTOALLS_SYNC_SIZE > 0, "%d %d %d",
        SHMEM_SYNC_SIZE, SHMEM_ALLTOALL_SYNC_SIZE, SHMEM_ALLTOALLS_SYNC_SIZE);
}

static void memory(void) {
  long* p = (long*)shmalloc(4 * sizeof(long));
  long* q;
  REQUIRE(p != NULL, "shmalloc gave NULL");
  p[3] = 77 + check_me;
  p = (long*)shrealloc(p, 4096 * sizeof(long));
  REQUIRE(p != NULL, "shrealloc gave NULL");
  CHECK_EQ(p[3], 77 + check_me, "contents after shrealloc");
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&p[3], check_right(1)), 77 + check_right(1), "peer's contents");
  q = (long*)shmemalign(512, sizeof(long));
  REQUIRE(q != NULL, "shmemalign gave NULL");
  CHECK_EQ((uintptr_t)q % 512, 0, "shmemalign(512)");
  shfree(q);
  shfree(p);
}

/* Every PE works on words of its right neighbour; only this PE writes there. */
#define ATOMICS(NAME, T, word, a, b, c)                                                         \
  do {                                                                                          \
    const int to = check_right(1);                                                              \
    shmem_##NAME##_set(&word, (T)(a), to);                                                      \
    CHECK(shmem_##NAME##_fetch(&word, to) == (T)(a), #NAME " fetch after set");                 \
    CHECK(shmem_##NAME##_swap(&word, (T)(b), to) == (T)(a), #NAME " swap gives the old value"); \
    CHECK(shmem_##NAME##_fetch(&word, to) == (T)(b), #NAME " fetch after swap");                \
    shmem_##NAME##_set(&word, (T)(c), to);                                                      \
    CHECK(shmem_##NAME##_fetch(&word, to) == (T)(c), #NAME " fetch after second set");          \
  } while (0)

#define ARITHMETIC(NAME, T, word)                                                                 \
  do {                                                                                            \
    const int to = check_right(1);                                                                \
    shmem_##NAME##_set(&word, (T)10, to);                                                         \
    shmem_##NAME##_add(&word, (T)5, to);                                                          \
    shmem_##NAME##_inc(&word, to);                                                                \
    CHECK(shmem_##NAME##_fadd(&word, (T)-20, to) == (T)16, #NAME " fadd gives the old value");    \
    CHECK(shmem_##NAME##_finc(&word, to) == (T)-4, #NAME " finc gives the old value");            \
    CHECK(shmem_##NAME##_cswap(&word, (T)99, (T)1, to) == (T)-3, #NAME " cswap without a match"); \
    CHECK(shmem_##NAME##_cswap(&word, (T)-3, (T)1, to) == (T)-3, #NAME " cswap with a match");    \
    CHECK(shmem_##NAME##_fetch(&word, to) == (T)1, #NAME " value at the end");                    \
  } while (0)

static void atomics(void) {
  ATOMICS(int, int, i_word, 3, -4, 5);
  ATOMICS(long, long, l_word, 3, -4, 5);
  ATOMICS(longlong, long long, ll_word, 3, -4, 5);
  ATOMICS(float, float, f_word, 1.5, -0.25, 3e30);
  ATOMICS(double, double, d_word, 1.5, -0.25, 3e300);
  ARITHMETIC(int, int, i_word);
  ARITHMETIC(long, long, l_word);
  ARITHMETIC(longlong, long long, ll_word);
}

static void waits(void) {
  const int to = check_right(1);
  shmem_short_p(&s_flag, 1, to);
  shmem_ushort_p(&us_flag, 65535, to);
  shmem_long_p(&l_flag, 2, to);
  shmem_int_p(&i_flag, -3, to);
  shmem_longlong_p(&ll_flag, 4, to);
  shmem_quiet();
  STEP("the deprecated waits");
  shmem_short_wait(&s_flag, 0);
  shmem_wait(&l_flag, 0);
  shmem_long_wait(&l_flag, 0);
  shmem_int_wait(&i_flag, 0);
  shmem_longlong_wait(&ll_flag, 0);
  shmem_short_wait_until(&s_flag, SHMEM_CMP_EQ, 1);
  shmem_ushort_wait_until(&us_flag, SHMEM_CMP_GT, 65534);
  CHECK_EQ(s_flag, 1, "short flag");
  CHECK_EQ(l_flag, 2, "long flag");
  CHECK_EQ(i_flag, -3, "int flag");
  CHECK_EQ(ll_flag, 4, "long long flag");
}

int main(void) {
  check_watch();
  start_pes(0);
  check_identify();
  CHECK_EQ(_my_pe(), check_me, "_my_pe");
  CHECK_EQ(_num_pes(), check_n, "_num_pes");
  constants();
  memory();
  atomics();
  shmem_barrier_all();
  waits();
  shmem_barrier_all();
  return check_end();
}
