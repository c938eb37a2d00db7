// Prints what the variables of the environment came to.
#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  printf("threads %d limit %d dynamic %d levels %d schedule %x,%d bind %d places %d cancel %d priority %d teams %d\n",
         omp_get_max_threads(), omp_get_thread_limit(), omp_get_dynamic(), omp_get_max_active_levels(), (unsigned)kind,
         chunk, (int)omp_get_proc_bind(), omp_get_num_places(), omp_get_cancellation(), omp_get_max_task_priority(),
         omp_get_max_teams());
  int sizes[2] = {0, 0};
#pragma omp parallel
  {
#pragma omp single
    sizes[0] = omp_get_num_threads();
#pragma omp parallel
#pragma omp single
#pragma omp atomic write
    sizes[1] = omp_get_num_threads();
  }
  printf("sizes %d %d\n", sizes[0], sizes[1]);
  return 0;
}
