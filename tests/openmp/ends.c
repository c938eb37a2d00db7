// A thread of another process ends the program, or its process dies, in the middle of a region.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const int dies = argc > 1 && strcmp(argv[1], "kill") == 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      if (dies) {
        kill(getpid(), SIGKILL);
      }
      exit(7);
    }
#pragma omp barrier
  }
  printf("the region ended\n");
  return 0;
}
