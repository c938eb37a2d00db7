/* 2.9 A length of zero is legal for every routine with a pointer and a count, with NULL or with a real pointer: nothing
 * happens. A put_signal of nothing still delivers its signal. Empty sets of wait and test return at once (13.5). */
#include "../check.h"

/* clang-format off */
#define RMA_TYPES(X) \
  X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) \
  X(short, short) X(int, int) X(long, long) X(longlong, long long) X(uchar, unsigned char) \
  X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) \
  X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) \
  X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
#define AMO_TYPES(X) \
  X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned) X(ulong, unsigned long) \
  X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) \
  X(uint64, uint64_t) X(size, size_t) X(ptrdiff, ptrdiff_t)
/* clang-format on */
#define SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)

static long double there[2], mine[2]; /* 32 bytes, aligned for everything */
static uint64_t sig;

static void typed(shmem_ctx_t ctx, int to) {
#define TYPED(NAME, T)                                         \
  shmem_##NAME##_put(NULL, NULL, 0, to);                       \
  shmem_##NAME##_get(NULL, NULL, 0, to);                       \
  shmem_##NAME##_put_nbi(NULL, NULL, 0, to);                   \
  shmem_##NAME##_get_nbi(NULL, NULL, 0, to);                   \
  shmem_##NAME##_iput(NULL, NULL, 1, 1, 0, to);                \
  shmem_##NAME##_iget(NULL, NULL, 1, 1, 0, to);                \
  shmem_##NAME##_ibput(NULL, NULL, 1, 1, 1, 0, to);            \
  shmem_##NAME##_ibget(NULL, NULL, 1, 1, 1, 0, to);            \
  shmem_##NAME##_put((T*)there, (const T*)mine, 0, to);        \
  shmem_##NAME##_get((T*)mine, (const T*)there, 0, to);        \
  shmem_##NAME##_put_nbi((T*)there, (const T*)mine, 0, to);    \
  shmem_##NAME##_iput((T*)there, (const T*)mine, 2, 3, 0, to); \
  shmem_ctx_##NAME##_put(ctx, NULL, NULL, 0, to);              \
  shmem_ctx_##NAME##_get(ctx, NULL, NULL, 0, to);              \
  shmem_ctx_##NAME##_put_nbi(ctx, NULL, NULL, 0, to);          \
  shmem_ctx_##NAME##_get_nbi(ctx, NULL, NULL, 0, to);          \
  shmem_ctx_##NAME##_iput(ctx, NULL, NULL, 1, 1, 0, to);       \
  shmem_ctx_##NAME##_iget(ctx, NULL, NULL, 1, 1, 0, to);
  RMA_TYPES(TYPED)
}

static void sized(shmem_ctx_t ctx, int to) {
#define SIZED(BITS, BYTES)                           \
  shmem_put##BITS(NULL, NULL, 0, to);                \
  shmem_get##BITS(NULL, NULL, 0, to);                \
  shmem_put##BITS##_nbi(NULL, NULL, 0, to);          \
  shmem_get##BITS##_nbi(NULL, NULL, 0, to);          \
  shmem_iput##BITS(NULL, NULL, 1, 1, 0, to);         \
  shmem_iget##BITS(NULL, NULL, 1, 1, 0, to);         \
  shmem_ibput##BITS(NULL, NULL, 1, 1, 1, 0, to);     \
  shmem_ibget##BITS(NULL, NULL, 1, 1, 1, 0, to);     \
  shmem_put##BITS(there, mine, 0, to);               \
  shmem_get##BITS(mine, there, 0, to);               \
  shmem_ctx_put##BITS(ctx, NULL, NULL, 0, to);       \
  shmem_ctx_get##BITS##_nbi(ctx, NULL, NULL, 0, to); \
  shmem_ctx_iput##BITS(ctx, NULL, NULL, 1, 1, 0, to);
  SIZES(SIZED)
  shmem_putmem(NULL, NULL, 0, to);
  shmem_getmem(NULL, NULL, 0, to);
  shmem_putmem_nbi(NULL, NULL, 0, to);
  shmem_getmem_nbi(NULL, NULL, 0, to);
  shmem_putmem(there, mine, 0, to);
  shmem_getmem(mine, there, 0, to);
  shmem_putmem(there, NULL, 0, to);
  shmem_putmem(NULL, mine, 0, to);
  shmem_ctx_putmem(ctx, NULL, NULL, 0, to);
  shmem_ctx_getmem(ctx, NULL, NULL, 0, to);
  shmem_ctx_putmem_nbi(ctx, NULL, NULL, 0, to);
  shmem_ctx_getmem_nbi(ctx, NULL, NULL, 0, to);
}

/* One for each type and size, so the sum is known. */
static long signals(shmem_ctx_t ctx, int to) {
  long sent = 0;
#define SIGNALLED(NAME, T)                                                          \
  shmem_##NAME##_put_signal(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);          \
  shmem_##NAME##_put_signal_nbi(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);      \
  shmem_ctx_##NAME##_put_signal(ctx, NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to); \
  sent += 3;
  RMA_TYPES(SIGNALLED)
#define SIGNALLED_SIZE(BITS, BYTES)                                            \
  shmem_put##BITS##_signal(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);      \
  shmem_put##BITS##_signal_nbi(there, mine, 0, &sig, 1, SHMEM_SIGNAL_ADD, to); \
  sent += 2;
  SIZES(SIGNALLED_SIZE)
  shmem_putmem_signal(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);
  shmem_putmem_signal_nbi(NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);
  shmem_ctx_putmem_signal(ctx, NULL, NULL, 0, &sig, 1, SHMEM_SIGNAL_ADD, to);
  sent += 3;
  return sent;
}

static void empty_sets(void) {
#define EMPTY(NAME, T)                                                                                                \
  do {                                                                                                                \
    shmem_##NAME##_wait_until_all(NULL, 0, NULL, SHMEM_CMP_EQ, 1);                                                    \
    shmem_##NAME##_wait_until_all_vector(NULL, 0, NULL, SHMEM_CMP_EQ, NULL);                                          \
    CHECK(shmem_##NAME##_wait_until_any(NULL, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX, #NAME " wait any");              \
    CHECK(shmem_##NAME##_wait_until_any_vector(NULL, 0, NULL, SHMEM_CMP_EQ, NULL) == SIZE_MAX, #NAME " any vector");  \
    CHECK_EQ(shmem_##NAME##_wait_until_some(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, 1), 0, #NAME " wait some");            \
    CHECK_EQ(shmem_##NAME##_wait_until_some_vector(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, NULL), 0, #NAME " vector");     \
    CHECK_EQ(shmem_##NAME##_test_all(NULL, 0, NULL, SHMEM_CMP_EQ, 1), 1, #NAME " test_all");                          \
    CHECK_EQ(shmem_##NAME##_test_all_vector(NULL, 0, NULL, SHMEM_CMP_EQ, NULL), 1, #NAME " test_all_vector");         \
    CHECK(shmem_##NAME##_test_any(NULL, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX, #NAME " test_any");                    \
    CHECK(shmem_##NAME##_test_any_vector(NULL, 0, NULL, SHMEM_CMP_EQ, NULL) == SIZE_MAX, #NAME " test_any_vector");   \
    CHECK_EQ(shmem_##NAME##_test_some(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, 1), 0, #NAME " test_some");                  \
    CHECK_EQ(shmem_##NAME##_test_some_vector(NULL, 0, NULL, NULL, SHMEM_CMP_EQ, NULL), 0, #NAME " test_some_vector"); \
  } while (0);
  AMO_TYPES(EMPTY)
}

int main(void) {
  long double before[2];
  long sent;
  int to, k;
  shmem_ctx_t ctx;
  check_begin();
  to = check_right(1);
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  check_fill(there, check_me, sizeof there);
  check_fill(mine, check_me + 50, sizeof mine);
  memcpy(before, mine, sizeof before);
  shmem_barrier_all();
  STEP("transfers of nothing");
  for (k = 0; k < 2; ++k) {
    typed(ctx, k ? to : check_me);
    sized(ctx, k ? to : check_me);
  }
  STEP("signals with nothing");
  sent = signals(ctx, to);
  shmem_ctx_quiet(ctx);
  STEP("the signals of nothing arrive");
  CHECK_EQ(shmem_signal_wait_until(&sig, SHMEM_CMP_GE, (uint64_t)sent), sent, "signals of zero-length put_signal");
  STEP("empty sets");
  empty_sets();
  shmem_pe_quiet(NULL, 0);
  shmem_ctx_pe_quiet(ctx, NULL, 0);
  shmem_barrier_all();
  CHECK_EQ(check_find_wrong(there, check_me, sizeof there), sizeof there, "a transfer of nothing changed the target");
  CHECK(memcmp(before, mine, sizeof before) == 0, "a transfer of nothing changed the source");
  CHECK_EQ(shmem_signal_fetch(&sig), sent, "signals");
  shmem_ctx_destroy(ctx);
  return check_end();
}
