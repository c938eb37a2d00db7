/* The C11 type-generic names (9.6 to 9.11): what must compile, and the type each call has. Compiled only. */
#include <shmem.h>
#include <stddef.h>
#include <stdint.h>

#define HAS_TYPE(expression, T) _Static_assert(_Generic((expression), T : 1, default : 0), #expression " is not " #T)

/* All 24 names of the RMA types: the aliases go to the routine of the C type they are. */
#define RMA_TYPE(T)                                                          \
  do {                                                                       \
    T *d = NULL, array[4] = {0}, value = 0;                                  \
    const T* s = array;                                                      \
    shmem_put(d, s, 4, 0), shmem_put(ctx, d, s, 4, 0);                       \
    shmem_put(array, array, 4, 0);                                           \
    shmem_get(d, s, 4, 0), shmem_get(ctx, array, s, 4, 0);                   \
    shmem_put_nbi(d, s, 4, 0), shmem_put_nbi(ctx, d, s, 4, 0);               \
    shmem_get_nbi(d, s, 4, 0), shmem_get_nbi(ctx, d, s, 4, 0);               \
    shmem_iput(d, s, 1, 2, 2, 0), shmem_iput(ctx, d, s, 1, 2, 2, 0);         \
    shmem_iget(d, s, 1, 2, 2, 0), shmem_iget(ctx, d, s, 1, 2, 2, 0);         \
    shmem_ibput(d, s, 2, 2, 1, 2, 0), shmem_ibput(ctx, d, s, 2, 2, 1, 2, 0); \
    shmem_ibget(d, s, 2, 2, 1, 2, 0), shmem_ibget(ctx, d, s, 2, 2, 1, 2, 0); \
    shmem_p(d, value, 0), shmem_p(ctx, array, value, 0);                     \
    HAS_TYPE(shmem_g(d, 0), T);                                              \
    HAS_TYPE(shmem_g(s, 0), T);                                              \
    HAS_TYPE(shmem_g(array, 0), T);                                          \
    HAS_TYPE(shmem_g(ctx, s, 0), T);                                         \
    shmem_put_signal(d, s, 4, sig, 1, SHMEM_SIGNAL_SET, 0);                  \
    shmem_put_signal(ctx, d, s, 4, sig, 1, SHMEM_SIGNAL_ADD, 0);             \
    shmem_put_signal_nbi(d, s, 4, sig, 1, SHMEM_SIGNAL_SET, 0);              \
    shmem_put_signal_nbi(ctx, d, s, 4, sig, 1, SHMEM_SIGNAL_SET, 0);         \
  } while (0)

#define AMO_EXTENDED(T)                                                                        \
  do {                                                                                         \
    T *d = NULL, array[4] = {0}, value = 0;                                                    \
    const T* s = array;                                                                        \
    HAS_TYPE(shmem_atomic_fetch(s, 0), T);                                                     \
    HAS_TYPE(shmem_atomic_fetch(ctx, array, 0), T);                                            \
    HAS_TYPE(shmem_atomic_swap(d, value, 0), T);                                               \
    HAS_TYPE(shmem_atomic_swap(ctx, d, value, 0), T);                                          \
    shmem_atomic_set(d, value, 0), shmem_atomic_set(ctx, array, value, 0);                     \
    shmem_atomic_fetch_nbi(d, s, 0), shmem_atomic_fetch_nbi(ctx, d, s, 0);                     \
    shmem_atomic_swap_nbi(array, d, value, 0), shmem_atomic_swap_nbi(ctx, array, d, value, 0); \
  } while (0)

#define AMO_STANDARD(T)                                                                                              \
  do {                                                                                                               \
    T *d = NULL, value = 0;                                                                                          \
    const int* status = NULL;                                                                                        \
    size_t* indices = NULL;                                                                                          \
    const T* values = d;                                                                                             \
    HAS_TYPE(shmem_atomic_compare_swap(d, value, value, 0), T);                                                      \
    HAS_TYPE(shmem_atomic_compare_swap(ctx, d, value, value, 0), T);                                                 \
    HAS_TYPE(shmem_atomic_fetch_inc(d, 0), T);                                                                       \
    HAS_TYPE(shmem_atomic_fetch_inc(ctx, d, 0), T);                                                                  \
    HAS_TYPE(shmem_atomic_fetch_add(d, value, 0), T);                                                                \
    HAS_TYPE(shmem_atomic_fetch_add(ctx, d, value, 0), T);                                                           \
    shmem_atomic_inc(d, 0), shmem_atomic_inc(ctx, d, 0);                                                             \
    shmem_atomic_add(d, value, 0), shmem_atomic_add(ctx, d, value, 0);                                               \
    shmem_atomic_compare_swap_nbi(d, d, value, value, 0), shmem_atomic_compare_swap_nbi(ctx, d, d, value, value, 0); \
    shmem_atomic_fetch_inc_nbi(d, d, 0), shmem_atomic_fetch_inc_nbi(ctx, d, d, 0);                                   \
    shmem_atomic_fetch_add_nbi(d, d, value, 0), shmem_atomic_fetch_add_nbi(ctx, d, d, value, 0);                     \
    shmem_wait_until(d, SHMEM_CMP_EQ, value);                                                                        \
    HAS_TYPE(shmem_test(d, SHMEM_CMP_EQ, value), int);                                                               \
    shmem_wait_until_all(d, 4, status, SHMEM_CMP_EQ, value);                                                         \
    HAS_TYPE(shmem_wait_until_any(d, 4, status, SHMEM_CMP_EQ, value), size_t);                                       \
    HAS_TYPE(shmem_wait_until_some(d, 4, indices, status, SHMEM_CMP_EQ, value), size_t);                             \
    shmem_wait_until_all_vector(d, 4, status, SHMEM_CMP_EQ, values);                                                 \
    HAS_TYPE(shmem_wait_until_any_vector(d, 4, status, SHMEM_CMP_EQ, values), size_t);                               \
    HAS_TYPE(shmem_wait_until_some_vector(d, 4, indices, status, SHMEM_CMP_EQ, values), size_t);                     \
    HAS_TYPE(shmem_test_all(d, 4, status, SHMEM_CMP_EQ, value), int);                                                \
    HAS_TYPE(shmem_test_any(d, 4, status, SHMEM_CMP_EQ, value), size_t);                                             \
    HAS_TYPE(shmem_test_some(d, 4, indices, status, SHMEM_CMP_EQ, value), size_t);                                   \
    HAS_TYPE(shmem_test_all_vector(d, 4, status, SHMEM_CMP_EQ, values), int);                                        \
    HAS_TYPE(shmem_test_any_vector(d, 4, status, SHMEM_CMP_EQ, values), size_t);                                     \
    HAS_TYPE(shmem_test_some_vector(d, 4, indices, status, SHMEM_CMP_EQ, values), size_t);                           \
  } while (0)

#define AMO_BITWISE(T)                                                                               \
  do {                                                                                               \
    T *d = NULL, value = 0;                                                                          \
    HAS_TYPE(shmem_atomic_fetch_and(d, value, 0), T);                                                \
    HAS_TYPE(shmem_atomic_fetch_or(ctx, d, value, 0), T);                                            \
    HAS_TYPE(shmem_atomic_fetch_xor(d, value, 0), T);                                                \
    shmem_atomic_and(d, value, 0), shmem_atomic_or(ctx, d, value, 0), shmem_atomic_xor(d, value, 0); \
    shmem_atomic_fetch_and_nbi(d, d, value, 0), shmem_atomic_fetch_or_nbi(ctx, d, d, value, 0);      \
    shmem_atomic_fetch_xor_nbi(d, d, value, 0);                                                      \
  } while (0)

/* The names of before 1.4, without contexts. */
#define OLD_EXTENDED(T)                       \
  do {                                        \
    T *d = NULL, value = 0;                   \
    HAS_TYPE(shmem_fetch((const T*)d, 0), T); \
    HAS_TYPE(shmem_swap(d, value, 0), T);     \
    shmem_set(d, value, 0);                   \
  } while (0)
#define OLD_STANDARD(T)                           \
  do {                                            \
    T *d = NULL, value = 0;                       \
    HAS_TYPE(shmem_cswap(d, value, value, 0), T); \
    HAS_TYPE(shmem_finc(d, 0), T);                \
    HAS_TYPE(shmem_fadd(d, value, 0), T);         \
    shmem_inc(d, 0), shmem_add(d, value, 0);      \
  } while (0)

/* int32_t and the like are other names of these, and have to work as well. */
#define STANDARD_TYPES(X) \
  X(int);                 \
  X(long);                \
  X(long long);           \
  X(unsigned int);        \
  X(unsigned long);       \
  X(unsigned long long);  \
  X(int32_t);             \
  X(int64_t);             \
  X(uint32_t);            \
  X(uint64_t);            \
  X(size_t);              \
  X(ptrdiff_t)

void every_type(shmem_ctx_t ctx, uint64_t* sig);
void every_type(shmem_ctx_t ctx, uint64_t* sig) {
  STANDARD_TYPES(RMA_TYPE);
  RMA_TYPE(float);
  RMA_TYPE(double);
  RMA_TYPE(long double);
  RMA_TYPE(char);
  RMA_TYPE(signed char);
  RMA_TYPE(short);
  RMA_TYPE(unsigned char);
  RMA_TYPE(unsigned short);
  RMA_TYPE(int8_t);
  RMA_TYPE(int16_t);
  RMA_TYPE(uint8_t);
  RMA_TYPE(uint16_t);
  STANDARD_TYPES(AMO_EXTENDED);
  AMO_EXTENDED(float);
  AMO_EXTENDED(double);
  STANDARD_TYPES(AMO_STANDARD);
  AMO_BITWISE(unsigned int);
  AMO_BITWISE(unsigned long);
  AMO_BITWISE(unsigned long long);
  AMO_BITWISE(int32_t);
  AMO_BITWISE(int64_t);
  AMO_BITWISE(uint32_t);
  AMO_BITWISE(uint64_t);
  OLD_EXTENDED(float);
  OLD_EXTENDED(double);
  OLD_EXTENDED(int);
  OLD_EXTENDED(long);
  OLD_EXTENDED(long long);
  OLD_STANDARD(int);
  OLD_STANDARD(long);
  OLD_STANDARD(long long);
}

/* Deprecated, for the scalar forms only. */
void short_waits(short* s, unsigned short* u);
void short_waits(short* s, unsigned short* u) {
  shmem_wait_until(s, SHMEM_CMP_NE, 0);
  shmem_wait_until(u, SHMEM_CMP_NE, 0);
  HAS_TYPE(shmem_test(s, SHMEM_CMP_NE, 0), int);
  HAS_TYPE(shmem_test(u, SHMEM_CMP_NE, 0), int);
}

/* Names that are a C function and a C11 generic at once. */
void shared_names(shmem_ctx_t ctx, uint64_t* sig, long* flag, double* number);
void shared_names(shmem_ctx_t ctx, uint64_t* sig, long* flag, double* number) {
  void (*add)(uint64_t*, uint64_t, int) = shmem_signal_add;
  void (*set)(uint64_t*, uint64_t, int) = &shmem_signal_set;
  void (*wait_until)(long*, int, long) = shmem_wait_until;
  long (*swap)(long*, long, int) = &shmem_swap;
  add(sig, 1, 0), set(sig, 1, 0), wait_until(flag, SHMEM_CMP_EQ, 1);
  shmem_signal_add(sig, 1, 0), shmem_signal_add(ctx, sig, 1, 0);
  shmem_signal_set(sig, 1, 0), shmem_signal_set(ctx, sig, 1, 0);
  (shmem_signal_add)(sig, 1, 0);
  (shmem_wait_until)(flag, SHMEM_CMP_EQ, 1);
  shmem_wait(flag, 0);
  HAS_TYPE((shmem_swap)(flag, swap(flag, 1, 0), 0), long);
  HAS_TYPE(shmem_swap(number, 1.5, 0), double);
}

/* PE numbers of any integer type, calls inside calls, members, elements, conditional expressions, 0 as an array. */
struct pair {
  int first;
  double second[3];
};
void expressions(struct pair* pairs, long* index, const long table[], volatile int* flag, unsigned char pe);
void expressions(struct pair* pairs, long* index, const long table[], volatile int* flag, unsigned char pe) {
  shmem_p(&pairs[1].first, 3, (short)pe);
  shmem_p(&pairs[1].first, 3, pe);
  shmem_put(pairs->second, pairs[1].second, sizeof pairs->second / sizeof pairs->second[0], 0);
  HAS_TYPE(shmem_g(&pairs[shmem_g(&index[shmem_g(index, 0)], 0)].second[1], 1), double);
  HAS_TYPE(shmem_g(pe ? index : index + 1, shmem_my_pe() == 0 ? 1 : 0), long);
  HAS_TYPE(shmem_g(table, (int)sizeof(long)), long);
  HAS_TYPE(shmem_g(SHMEM_CTX_DEFAULT, table + 2, 0), long);
  HAS_TYPE(shmem_test((int*)flag, SHMEM_CMP_GE, 1), int);
}
