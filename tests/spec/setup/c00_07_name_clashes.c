/* 0.7 Where a C11 generic and a C function share a name, the number and the type of the arguments decide, and the
 * function is still a symbol of its own. */
#include "../check.h"

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "compile this as C11"
#endif

static long l_flag;
static int i_flag;
static uint64_t sig;
static uint32_t u32_flag;
static short s_flag;
static unsigned short us_flag;

int main(void) {
  /* taking the address means the function, never the macro */
  void (*wait_function)(long*, int, long) = shmem_wait_until;
  void (*add_function)(uint64_t*, uint64_t, int) = shmem_signal_add;
  void (*set_function)(uint64_t*, uint64_t, int) = shmem_signal_set;
  int to;
  check_begin();
  to = check_right(1);

  shmem_long_p(&l_flag, 5, to);
  shmem_int_p(&i_flag, 6, to);
  shmem_uint32_p(&u32_flag, 0x80000000u, to);
  shmem_short_p(&s_flag, -7, to);
  shmem_ushort_p(&us_flag, 65535, to);
  STEP("waits by the generic name");
  shmem_wait_until(&l_flag, SHMEM_CMP_EQ, 5);
  shmem_wait_until(&l_flag, SHMEM_CMP_EQ, 5L);
  shmem_wait_until(&i_flag, SHMEM_CMP_EQ, 6);
  shmem_wait_until(&u32_flag, SHMEM_CMP_GT, 1u);
  shmem_wait_until(&s_flag, SHMEM_CMP_LT, 0);
  shmem_wait_until(&us_flag, SHMEM_CMP_GE, 65535);
  CHECK_EQ(shmem_test(&s_flag, SHMEM_CMP_EQ, -7), 1, "generic test on a short");
  STEP("wait by the function");
  wait_function(&l_flag, SHMEM_CMP_GE, 5);
  (shmem_wait_until)(&l_flag, SHMEM_CMP_GE, 5);

  /* three arguments: the function; four: the context first */
  shmem_signal_set(&sig, 10, to);
  shmem_barrier_all();
  shmem_signal_add(&sig, 1, to);
  shmem_signal_add(SHMEM_CTX_DEFAULT, &sig, 2, to);
  add_function(&sig, 4, to);
  (shmem_signal_add)(&sig, 8, to);
  shmem_barrier_all();
  CHECK_EQ(shmem_signal_fetch(&sig), 25, "sum of all forms of signal_add");
  shmem_barrier_all();
  shmem_signal_set(SHMEM_CTX_DEFAULT, &sig, 30, to);
  shmem_barrier_all();
  CHECK_EQ(shmem_signal_fetch(&sig), 30, "four-argument signal_set");
  shmem_barrier_all();
  set_function(&sig, 31, to);
  shmem_barrier_all();
  CHECK_EQ(shmem_signal_fetch(&sig), 31, "signal_set by its address");
  shmem_barrier_all();

  /* a created context in the generic form */
  shmem_ctx_t ctx;
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "ctx_create");
  shmem_signal_add(ctx, &sig, 9, to);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK_EQ(shmem_signal_fetch(&sig), 40, "signal_add through a created context");
  shmem_ctx_destroy(ctx);
  return check_end();
}
