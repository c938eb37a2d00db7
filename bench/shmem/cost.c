/* What PEs use of the machine while they do nothing.
 *
 *   cost [--repetitions N] [--ms T] memory | blocked
 *
 * memory: after shmem_init, of the PE that uses most: resident memory and page tables. blocked: processor time of a PE
 * that waits 10,000 times T for another one that sleeps. */
#include "common.h"

#include <sched.h>

static long *kib, *flag;

static long of_this_process(const char* field) {
  char line[256];
  long found = -1;
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) {
    if (!strncmp(line, field, strlen(field))) found = atol(line + strlen(field) + 1);
  }
  if (status) fclose(status);
  return found;
}

static void most(const char* name, const char* field) {
  double bytes = 0;
  *kib = of_this_process(field);
  shmem_barrier_all();
  for (int pe = 0; me == 0 && pe < n_pes; pe++) {
    const double of_pe = 1024.0 * (double)shmem_long_g(kib, pe);
    if (of_pe > bytes) bytes = of_pe;
  }
  if (me == 0) print_figures(name, "job", n_pes, "bytes", &bytes, 1);
  shmem_barrier_all();
}

static double processor_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
}

/* PE 1 waits, first for a value and then in a barrier. */
static void blocked(const struct plan* plan) {
  const long ns = (long)(plan->ms * 1e10);
  const struct timespec pause = {ns / 1000000000, ns % 1000000000};
  for (int in_barrier = 0; in_barrier < 2; in_barrier++) {
    double used;
    shmem_barrier_all();
    if (me == 0) {
      nanosleep(&pause, NULL);
      shmem_long_p(flag, in_barrier + 1, 1);
      shmem_quiet();
    }
    used = processor_ns();
    if (me == 1 && !in_barrier) shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    used = processor_ns() - used;
    if (me == 1) print_figures(in_barrier ? "blocked.barrier" : "blocked.wait", "job", n_pes, "ns", &used, 1);
    shmem_barrier_all();
  }
}

int main(int argc, char** argv) {
  struct plan plan;
  const char* what = start(argc, argv, &plan);
  int known = 1;
  kib = new_words(1);
  flag = new_words(1);
  if (!strcmp(what, "memory")) {
    most("memory.resident", "VmRSS");
    most("memory.tables", "VmPTE");
  } else if (!strcmp(what, "blocked") && n_pes == 2) {
    blocked(&plan);
  } else {
    known = 0;
    if (me == 0) fprintf(stderr, "usage: cost [--repetitions N] [--ms T] memory | blocked (2 PEs)\n");
  }
  shmem_finalize();
  return known ? 0 : 2;
}
