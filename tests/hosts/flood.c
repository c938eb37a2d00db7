// PE 0 is ahead of all others: it broadcasts again and again while they compute, and starts exchanges that they start
// only later, and in another order. It ends when all have all that was sent, and nobody's memory has grown by much.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { kRounds = 400, kLarge = 1 << 18, kSmall = 4, kBlock = 3 << 17 };

static long flag;

static long peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static void check(int fine, const char* what) {
  if (fine) return;
  printf("PE %d: %s\n", shmem_my_pe(), what);
  shmem_global_exit(1);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  long* from = shmem_malloc(kLarge * sizeof *from);
  long* to = shmem_malloc(kLarge * sizeof *to);
  memset(from, 0, kLarge * sizeof *from);
  memset(to, 0, kLarge * sizeof *to);
  shmem_barrier_all();
  const long before = peak_kib();

  // 400 times 2 MiB, and as often a few bytes; PE 0 is a second ahead.
  if (me != 0) nanosleep(&(struct timespec){1, 0}, NULL);
  for (long round = 1; round <= kRounds; ++round) {
    const size_t count = round % 2 == 0 ? kLarge : kSmall;
    from[0] = from[count - 1] = round;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, count, 0);
    check(to[0] == round && to[count - 1] == round, "a broadcast brought something else");
  }
  shmem_barrier_all();
  const long grown = peak_kib() - before;
  check(grown < 64 * 1024, "messages that nobody waited for were all kept");

  // An exchange of large blocks that PE 0 starts before it sets the flags that the others wait for first.
  long* out = shmem_malloc(kBlock * sizeof *out * (size_t)n);
  long* in = shmem_malloc(kBlock * sizeof *in * (size_t)n);
  for (int pe = 0; pe < n; ++pe) out[(size_t)(pe + 1) * kBlock - 1] = 1000L * me + pe;
  shmem_barrier_all();
  shmemx_req_t request;
  if (me != 0) shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmemx_long_alltoall_nb(SHMEM_TEAM_WORLD, in, out, kBlock, &request);
  for (int pe = 1; me == 0 && pe < n; ++pe) shmem_long_p(&flag, 1, pe);
  shmemx_req_wait(&request);
  for (int pe = 0; pe < n; ++pe) check(in[(size_t)(pe + 1) * kBlock - 1] == 1000L * pe + me, "an exchange was wrong");
  shmem_barrier_all();
  if (me == 0) printf("the flood is over\n");
  shmem_finalize();
  return 0;
}
