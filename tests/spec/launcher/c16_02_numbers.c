/* Point 16.2: PEs are numbered 0 to N-1, each number once, the same from init to finalize and in the next life; n_pes
 * is what oshrun was asked for (argv[1]); each number is another process. */
#include "check.h"

enum { kMaxPes = 64 };

static long g_pid[kMaxPes], g_seen[kMaxPes];

int main(int argc, char** argv) {
  int me = -1, n = -1;
  check_watch();
  for (int life = 0; life < 2; ++life) {
    shmem_init();
    check_identify();
    REQUIRE(check_n >= 1 && check_n <= kMaxPes, "%d PEs", check_n);
    if (argc > 1) CHECK_EQ(check_n, atoi(argv[1]), "n_pes");
    CHECK(check_me >= 0 && check_me < check_n, "PE %d of %d", check_me, check_n);
    if (life == 1) {
      CHECK_EQ(check_me, me, "the number in the next life");
      CHECK_EQ(check_n, n, "n_pes in the next life");
    }
    me = check_me;
    n = check_n;
    memset(g_seen, 0, sizeof g_seen);
    g_pid[me] = 0;
    shmem_barrier_all();
    for (int pe = 0; pe < n; ++pe) {
      shmem_long_p(&g_pid[me], getpid(), pe);
      shmem_long_atomic_inc(&g_seen[me], pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < n; ++pe) {
      CHECK_EQ(g_seen[pe], 1, "times that number %d exists", pe);
      for (int other = 0; other < pe; ++other)
        CHECK(g_pid[pe] != g_pid[other], "PEs %d and %d are one process", pe, other);
    }
    for (int i = 0; i < 100; ++i) CHECK(shmem_my_pe() == me && shmem_n_pes() == n, "the numbers change");
    shmem_barrier_all();
    shmem_finalize();
  }
  return check_result();
}
