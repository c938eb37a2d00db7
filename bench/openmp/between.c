// What an atomic operation of process 0 between two regions costs, by how many there are between them: on a word that
// is at home with it, and on one that is at home with the last process, which has read the word's page in each region.
// Lines of nanoseconds, for each operation: a mean over rounds.
#include <omp.h>
#include <stdio.h>

enum { kPage = 4096 / sizeof(long), kMost = 4096, kRounds = 300, kLeast = 4 };
static long words[2][kPage] __attribute__((aligned(4096)));  // at home with process 0, and with the last one

static void measure(int by_last, int count) {
  long* const word = &words[by_last][0];
  const int many = kMost / count;
  const int rounds = many < kLeast ? kLeast : many > kRounds ? kRounds : many;
  double taken = 0;
  for (int round = 0; round < rounds; round++) {
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      (void)*(volatile long*)word;
    }
    const double begin = omp_get_wtime();
    for (int k = 0; k < count; k++) {
#pragma omp atomic
      (*word)++;
    }
    taken += omp_get_wtime() - begin;
  }
  printf("%s_%d %.1f\n", by_last ? "last" : "own", count, taken / rounds / count * 1e9);
}

int main(void) {
#pragma omp parallel
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == 0 || omp_get_thread_num() == last) {
      words[omp_get_thread_num() == last][1] = 1;
    }
  }
  for (int by_last = 0; by_last < 2; by_last++) {
    for (int count = 1; count <= kMost; count *= 16) {
      measure(by_last, count);
    }
  }
  return 0;
}
