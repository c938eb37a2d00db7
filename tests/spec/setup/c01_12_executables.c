/* 1.12 Different executables in one job: their heaps are symmetric, their statics are not. The build makes two programs
 * of this file with very different static data, and a script chooses by WEFT_PE which one a PE becomes. */
#include "../check.h"

#if VARIANT == 2
static char ballast[3000000];
static long in_data[50000] = {2};
#else
static char ballast[10] = "small";
static long in_data[5] = {1};
#endif

int main(void) {
  long *block, *flags;
  int i, to;
  check_begin();
  to = check_right(1);
  CHECK_EQ(check_me % 2 + 1, VARIANT, "odd PEs run the second program");
  memset(ballast, VARIANT, sizeof ballast);
  CHECK_EQ(in_data[0], VARIANT, "own static data");
  block = (long*)shmem_malloc(100000);
  flags = (long*)shmem_calloc((size_t)check_n, sizeof(long));
  REQUIRE(block && flags, "heap");
  for (i = 0; i < 1000; ++i) block[i] = check_me * 1000L + i;
  shmem_barrier_all();
  for (i = 0; i < 1000; i += 111) CHECK_EQ(shmem_long_g(&block[i], to), to * 1000L + i, "heap of the other program");
  shmem_long_p(&flags[check_me], VARIANT, to);
  STEP("flag of the other program");
  shmem_long_wait_until(&flags[check_right(-1)], SHMEM_CMP_NE, 0);
  CHECK_EQ(flags[check_right(-1)], check_right(-1) % 2 + 1, "which program PE %d runs", check_right(-1));
  shmem_barrier_all();
  CHECK_EQ(in_data[0], VARIANT, "statics stay with their own program");
  CHECK_EQ(ballast[sizeof ballast - 1], VARIANT, "statics stay with their own program");
  shmem_free(flags);
  shmem_free(block);
  return check_end();
}
