// A storm of puts, each PE to the next half way round the job, so that all cross the network when there are two hosts:
//
//   storm SECONDS [HOW]      HOW, for the last PE when half the time is over: abort, exit, global_exit, stop
//
// It tells when the storm has begun, and at the end whether every word came.
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORDS 1024

static long box[WORDS];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void end_by(const char* how) {
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "exit") == 0) _exit(3);
  if (strcmp(how, "global_exit") == 0) shmem_global_exit(4);
  if (strcmp(how, "stop") == 0) (void)raise(SIGSTOP);
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1;
  const char* how = argc > 2 ? argv[2] : "";
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  const int there = (me + (n + 1) / 2) % n;
  shmem_barrier_all();
  if (me == 0) {
    printf("the storm begins\n");
    fflush(stdout);
  }
  const double begin = now();
  long rounds = 0;
  long words[WORDS];
  while (now() - begin < seconds) {
    ++rounds;
    for (int i = 0; i < WORDS; ++i) words[i] = rounds;
    for (int k = 0; k < 16; ++k) shmem_long_put_nbi(box, words, WORDS, there);
    shmem_quiet();
    if (me == n - 1 && now() - begin > seconds / 2) {
      end_by(how);
      how = "";
    }
  }
  // The last word says how many rounds there were; each word must be of the last round.
  static long expected;
  shmem_long_p(&expected, rounds, there);
  shmem_barrier_all();
  int wrong = 0;
  for (int i = 0; i < WORDS; ++i) wrong += box[i] != expected;
  if (wrong != 0) printf("PE %d: %d words are wrong\n", me, wrong);
  shmem_barrier_all();
  if (me == 0) printf("the storm is over\n");
  shmem_finalize();
  return wrong != 0;
}
