// How many threads there are, and how many of them in each process.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { kMost = 1024 };
static long process_of[kMost];

int main(void) {
  int threads = 0;
  int inner = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    process_of[omp_get_thread_num()] = getpid();
    if (omp_get_thread_num() == 0) {
#pragma omp parallel
#pragma omp single
      inner = omp_get_num_threads();
    }
  }
  printf("%d threads:", threads);
  for (int k = 0, from = 0; k < threads; ++k) {
    if (k + 1 == threads || process_of[k + 1] != process_of[k]) {
      printf(" %d", k + 1 - from);
      from = k + 1;
    }
  }
  printf("; inner regions have %d\n", inner);
  return 0;
}
