/* 1.12 PEs may do quite different things between the collective calls. */
#include "../check.h"

static long inbox[64], total;

static void receiver(void) {
  long sum = 0;
  int i;
  for (i = 1; i < check_n; ++i) {
    shmem_long_wait_until(&inbox[i], SHMEM_CMP_NE, 0);
    sum += inbox[i];
  }
  total = sum;
}
static void putter(void) { shmem_long_p(&inbox[check_me], check_me, 0); }
static void adder(void) {
  long i;
  /* grows 1, 2, ... only the last value may be seen by a wait that started late; send it in one piece */
  shmem_long_atomic_add(&inbox[check_me], check_me, 0);
  for (i = 0; i < 100; ++i) shmem_long_g(&inbox[0], 0);
}
static void signaller(void) {
  static long zero;
  static uint64_t sig;
  shmem_long_put_signal(&zero, &zero, 1, &sig, 1, SHMEM_SIGNAL_ADD, check_me);
  shmem_long_atomic_swap(&inbox[check_me], check_me, 0);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= 64, "%d PEs", check_n);
  STEP("each PE its own way");
  if (check_me == 0) {
    receiver();
  } else if (check_me % 3 == 1) {
    putter();
  } else if (check_me % 3 == 2) {
    adder();
  } else {
    signaller();
  }
  shmem_barrier_all();
  CHECK_EQ(shmem_long_g(&total, 0), (long)check_n * (check_n - 1) / 2, "sum of what all sent");
  return check_end();
}
