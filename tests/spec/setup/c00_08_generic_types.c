/* 0.8 The C11 generics take each of the types of the tables, whatever C type the intN_t, size_t and ptrdiff_t are.
 * 0.9 They take arrays, pointers to const sources, any integer for the PE, and the forms with and without a context. */
#include "../check.h"

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "compile this as C11"
#endif

/* Values near the ends of each type, so that a call of the wrong width or sign shows. */
#define RMA_TYPES(X)                                \
  X(f, float, 1.25f)                                \
  X(d, double, -3.5e200)                            \
  X(ld, long double, 1.0L / 3)                      \
  X(c, char, 'x')                                   \
  X(sc, signed char, -128)                          \
  X(s, short, -32768)                               \
  X(i, int, -2147483647 - 1)                        \
  X(l, long, 0x7edcba9876543210L)                   \
  X(ll, long long, -0x7edcba9876543210LL)           \
  X(uc, unsigned char, 255)                         \
  X(us, unsigned short, 65535)                      \
  X(ui, unsigned, 0xfffffff0u)                      \
  X(ul, unsigned long, 0xfedcba9876543210UL)        \
  X(ull, unsigned long long, 0xfedcba9876543211ULL) \
  X(i8, int8_t, -7)                                 \
  X(i16, int16_t, -777)                             \
  X(i32, int32_t, -77777)                           \
  X(i64, int64_t, INT64_C(-7777777777))             \
  X(u8, uint8_t, 200)                               \
  X(u16, uint16_t, 60000)                           \
  X(u32, uint32_t, 4000000000u)                     \
  X(u64, uint64_t, UINT64_C(18000000000000000000))  \
  X(sz, size_t, (size_t)-2)                         \
  X(pd, ptrdiff_t, -5)

#define STD_AMO_TYPES(X)                            \
  X(i, int, -5)                                     \
  X(l, long, 0x7edcba9876543210L)                   \
  X(ll, long long, -77)                             \
  X(ui, unsigned, 0xfffffff0u)                      \
  X(ul, unsigned long, 0xfedcba9876543210UL)        \
  X(ull, unsigned long long, 0xfedcba9876543211ULL) \
  X(i32, int32_t, -77777)                           \
  X(i64, int64_t, INT64_C(-7777777777))             \
  X(u32, uint32_t, 4000000000u)                     \
  X(u64, uint64_t, UINT64_C(18000000000000000000))  \
  X(sz, size_t, (size_t)-2)                         \
  X(pd, ptrdiff_t, -5)

#define BIT_AMO_TYPES(X)                            \
  X(ui, unsigned, 0xf0f0f0f0u)                      \
  X(ul, unsigned long, 0xf0f0f0f0f0f0f0f0UL)        \
  X(ull, unsigned long long, 0xf0f0f0f0f0f0f0f0ULL) \
  X(i32, int32_t, -77777)                           \
  X(i64, int64_t, INT64_C(-7777777777))             \
  X(u32, uint32_t, 4000000000u)                     \
  X(u64, uint64_t, UINT64_C(18000000000000000000))

#define DECLARE(tag, T, v) static T at_##tag[4];
RMA_TYPES(DECLARE)
#define DECLARE_FLAGS(tag, T, v) static T from_##tag[2];
STD_AMO_TYPES(DECLARE_FLAGS)

static void rma(void) {
  const int to = check_right(1);
#define RMA(tag, T, v)                                                                                              \
  do {                                                                                                              \
    T got[4] = {0, 0, 0, 0};                                                                                        \
    const T source[4] = {(T)(v), 0, (T)1, (T)(v)};                                                                  \
    const T* const tail = source + 3;                                                                               \
    shmem_put(at_##tag, source, 2, to);                                                                             \
    shmem_put(SHMEM_CTX_DEFAULT, &at_##tag[2], source + 2, 1, (short)to);                                           \
    shmem_put_nbi(at_##tag + 3, tail, 1, (unsigned char)to);                                                        \
    shmem_quiet();                                                                                                  \
    CHECK(shmem_g(at_##tag, to) == (T)(v), "shmem_g of " #T);                                                       \
    CHECK(shmem_g(SHMEM_CTX_DEFAULT, &at_##tag[2], (long)to) == (T)1, "shmem_g with a context, " #T);               \
    shmem_get(got, at_##tag, 4, to);                                                                                \
    CHECK(memcmp(got, source, 0) == 0 && got[0] == source[0] && got[1] == source[1] && got[3] == *tail, "get " #T); \
    shmem_p(&at_##tag[1], (T)(v), to);                                                                              \
    shmem_p(SHMEM_CTX_DEFAULT, at_##tag, (T)1, (unsigned)to);                                                       \
    shmem_iput(at_##tag + 2, source, 1, 3, 2, to);                                                                  \
    shmem_quiet();                                                                                                  \
    shmem_get_nbi(got, (const T*)at_##tag, 4, to);                                                                  \
    shmem_quiet();                                                                                                  \
    CHECK(got[0] == (T)1 && got[1] == (T)(v) && got[2] == (T)(v) && got[3] == (T)(v), "p and iput of " #T);         \
    shmem_iget(got, at_##tag, 2, 1, 2, to);                                                                         \
    CHECK(got[0] == (T)1 && got[2] == (T)(v), "iget of " #T);                                                       \
  } while (0);
  RMA_TYPES(RMA)
}

/* The result type of the fetching generics must be the type itself: _Generic on it says so. */
#define IS_TYPE(expr, T) _Generic((expr), T : 1, default : 0)

static void result_types(void) {
#define TYPE_OF_G(tag, T, v) CHECK(IS_TYPE(shmem_g(at_##tag, check_me), T), "shmem_g gives a " #T);
  RMA_TYPES(TYPE_OF_G)
#define TYPE_OF_FETCH(tag, T, v) \
  CHECK(IS_TYPE(shmem_atomic_fetch_add(at_##tag, (T)0, check_me), T), "atomic_fetch_add gives a " #T);
  STD_AMO_TYPES(TYPE_OF_FETCH)
}

static void amo(void) {
  const int to = check_right(1);
#define AMO(tag, T, v)                                                                                         \
  do {                                                                                                         \
    T f = 0;                                                                                                   \
    shmem_atomic_set(at_##tag, (T)(v), to);                                                                    \
    CHECK(shmem_atomic_fetch(at_##tag, to) == (T)(v), "atomic_fetch of " #T);                                  \
    CHECK(shmem_atomic_fetch((const T*)at_##tag, (short)to) == (T)(v), "atomic_fetch of const " #T);           \
    CHECK(shmem_atomic_fetch_inc(SHMEM_CTX_DEFAULT, at_##tag, to) == (T)(v), "fetch_inc of " #T);              \
    CHECK(shmem_atomic_fetch_add(at_##tag, (T)4, to) == (T)((v) + 1), "fetch_add of " #T);                     \
    shmem_atomic_inc(at_##tag, to);                                                                            \
    shmem_atomic_add(SHMEM_CTX_DEFAULT, at_##tag, (T)4, to);                                                   \
    CHECK(shmem_atomic_swap(at_##tag, (T)2, to) == (T)((v) + 10), "swap of " #T);                              \
    CHECK(shmem_atomic_compare_swap(at_##tag, (T)3, (T)9, to) == (T)2, "compare_swap, no match, " #T);         \
    CHECK(shmem_atomic_compare_swap(SHMEM_CTX_DEFAULT, at_##tag, (T)2, (T)9, to) == (T)2, "compare_swap " #T); \
    shmem_atomic_fetch_add_nbi(&f, at_##tag, (T)1, to);                                                        \
    shmem_quiet();                                                                                             \
    CHECK(f == (T)9, "fetch_add_nbi of " #T);                                                                  \
    shmem_atomic_fetch_nbi(SHMEM_CTX_DEFAULT, &f, at_##tag, to);                                               \
    shmem_quiet();                                                                                             \
    CHECK(f == (T)10, "fetch_nbi of " #T);                                                                     \
  } while (0);
  STD_AMO_TYPES(AMO)
#define BIT(tag, T, v)                                                                                 \
  do {                                                                                                 \
    shmem_atomic_set(at_##tag, (T)(v), to);                                                            \
    CHECK(shmem_atomic_fetch_and(at_##tag, (T)0xff, to) == (T)(v), "fetch_and of " #T);                \
    CHECK(shmem_atomic_fetch_or(at_##tag, (T)0x100, to) == (T)((v)&0xff), "fetch_or of " #T);          \
    CHECK(shmem_atomic_fetch_xor(at_##tag, (T)0x1ff, to) == (T)(((v)&0xff) | 0x100), "fetch_xor " #T); \
    shmem_atomic_or(at_##tag, (T)0x200, to);                                                           \
    shmem_atomic_and(at_##tag, (T)0x200, to);                                                          \
    shmem_atomic_xor(SHMEM_CTX_DEFAULT, at_##tag, (T)0x201, to);                                       \
    CHECK(shmem_atomic_fetch(at_##tag, to) == (T)1, "or, and, xor of " #T);                            \
  } while (0);
  BIT_AMO_TYPES(BIT)
  shmem_atomic_set(at_f, 2.5f, to);
  CHECK(shmem_atomic_swap(at_f, -1.0f, to) == 2.5f && shmem_atomic_fetch(at_f, to) == -1.0f, "float");
  shmem_atomic_set(SHMEM_CTX_DEFAULT, at_d, 2.5, to);
  CHECK(shmem_atomic_swap(at_d, -1.0, to) == 2.5 && shmem_atomic_fetch(SHMEM_CTX_DEFAULT, at_d, to) == -1.0, "double");
}

static void waits(void) {
  const int to = check_right(1);
#define WAIT(tag, T, v)                                                                          \
  do {                                                                                           \
    const T two[2] = {(T)(v), (T)(v)};                                                           \
    size_t idx[2] = {7, 7};                                                                      \
    shmem_put(from_##tag, two, 2, to);                                                           \
    shmem_wait_until(from_##tag, SHMEM_CMP_EQ, (T)(v));                                          \
    shmem_wait_until_all(from_##tag, 2, NULL, SHMEM_CMP_EQ, (T)(v));                             \
    CHECK_EQ(shmem_test(&from_##tag[1], SHMEM_CMP_NE, (T)(v)), 0, "test of " #T);                \
    CHECK(shmem_wait_until_any(from_##tag, 2, NULL, SHMEM_CMP_EQ, (T)(v)) < 2, "any of " #T);    \
    CHECK_EQ(shmem_test_some(from_##tag, 2, idx, NULL, SHMEM_CMP_EQ, (T)(v)), 2, "some of " #T); \
    CHECK_EQ(shmem_test_all_vector(from_##tag, 2, NULL, SHMEM_CMP_EQ, two), 1, "vector of " #T); \
  } while (0);
  STEP("generic waits");
  STD_AMO_TYPES(WAIT)
}

int main(void) {
  check_begin();
  rma();
  shmem_barrier_all();
  result_types();
  shmem_barrier_all();
  amo();
  waits();
  return check_end();
}
