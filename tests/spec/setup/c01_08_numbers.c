/* 1.8 PE numbers are 0..n-1, each once, and do not change. */
#include "../check.h"

enum { kMost = 64 };
static int taken[kMost];

int main(void) {
  int i;
  check_begin();
  REQUIRE(check_n >= 1 && check_n <= kMost, "%d PEs", check_n);
  REQUIRE(check_me >= 0 && check_me < check_n, "PE %d of %d", check_me, check_n);
  {
    const char* wanted = getenv("WANTED_PES");
    if (wanted) CHECK_EQ(check_n, atoi(wanted), "number of PEs the launcher was asked for");
  }
  for (i = 0; i < check_n; ++i) shmem_int_atomic_inc(&taken[check_me], i);
  for (i = 0; i < 1000; ++i) {
    if (shmem_my_pe() != check_me || shmem_n_pes() != check_n) break;
  }
  CHECK_EQ(i, 1000, "my_pe and n_pes changed");
  shmem_barrier_all();
  for (i = 0; i < kMost; ++i) CHECK_EQ(taken[i], i < check_n, "how many PEs have number %d", i);
  return check_end();
}
