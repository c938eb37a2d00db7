// Threads of the program's own that have regions, and end; forked children; teams that grow and shrink; limits.
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void* own(void* given) {
  const int most = *(int*)given;
  for (int k = 0; k < 20; k++) {
    const int threads = 1 + k % most;
    long sum = 0;
    int got = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp single
      got = omp_get_num_threads();
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 50; i++) sum += i;
#pragma omp task
      {
#pragma omp task
        {}
      }
#pragma omp critical
      sum++;
    }
    CHECK(sum == 1225 + got && got >= 1 && got <= threads);
    CHECK(got == threads || omp_get_thread_limit() < threads);
  }
  return NULL;
}

// A forked child has regions of its own, of new threads; a program of several processes has no children.
static void forked(int most) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    own(&most);
    own(&most);
    exit(0);
  }
  int status = 0;
  CHECK(child == -1 ? errno == ENOSYS : waitpid(child, &status, 0) == child && status == 0);
}

// More threads than there is shared memory for stacks of the usual size.
static void many(int threads) {
  int got = 0, sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    volatile char room[64 * 1024];
    room[sizeof room - 1] = room[0] = 1;
#pragma omp barrier
    sum += room[0];
#pragma omp master
    got = omp_get_num_threads();
  }
  CHECK(sum == got && (got == threads || got == omp_get_thread_limit()));
}

int main(void) {
  omp_set_dynamic(0);
  int sizes[4] = {1, 2, 3, 7};
  for (int round = 0; round < 5; round++) {
    pthread_t threads[4];
    for (int k = 0; k < 4; k++) CHECK(pthread_create(&threads[k], NULL, own, &sizes[k]) == 0);
    for (int k = 0; k < 4; k++) CHECK(pthread_join(threads[k], NULL) == 0);
  }
  own(&sizes[3]);
  forked(sizes[3]);
  omp_set_max_active_levels(4);
#pragma omp parallel num_threads(3)
#pragma omp single
  forked(sizes[1]);
  // Four levels, of which the inner ones find what the limit leaves.
  int most = 0, now = 0, all = 0;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    int mine;
#pragma omp atomic capture
    mine = ++now;
#pragma omp critical
    most = mine > most ? mine : most;
    CHECK(omp_get_level() == 4);
#pragma omp atomic
    all++;
#pragma omp atomic
    now--;
  }
  // Who is through makes room for others, so only those at one time are limited.
  CHECK(now == 0 && most >= 1 && most <= omp_get_thread_limit() && all >= most && all <= 16);
  CHECK(all == 16 || omp_get_thread_limit() < 16);
  many(300);
  CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
  printf("all is right\n");
  return 0;
}
