/* The loop of stencil.h in three ways: on shared pages, with puts of OpenSHMEM, and with threads of one process.
 *
 * usage: laplace shared | puts | threads [points a side] [steps] [threads] [dimensions] */
#include <pthread.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <weft/shared.h>

#include "stencil.h"

static struct grid g_grid;
static double *g_from, *g_to;
static pthread_barrier_t g_meet;
static double g_took; /* of threads: as the first one has it */

static double shared(double* sum) {
  const int me = weft_shared_my_pe();
  g_grid.parts = weft_shared_n_pes();
  double* from = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, bytes_of(g_grid)) : NULL);
  double* to = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, bytes_of(g_grid)) : NULL);
  fill_part(g_grid, from, me);
  fill_part(g_grid, to, me);
  weft_shared_barrier();
  const int first = first_of(g_grid, me), rows = rows_of(g_grid, me);
  const size_t before = (size_t)(first - 1) * g_grid.width;
  const double start = now();
  for (int k = 0; k < g_grid.steps; ++k) {
    step(g_grid, rows, from + before, to + before);
    weft_shared_barrier();
    double* other = from;
    from = to;
    to = other;
  }
  const double took = now() - start;
  *sum = sum_of_rows(g_grid, from, g_grid.side);
  weft_shared_barrier();
  return took;
}

static double puts_of_rows(double* sum) {
  static double part, all;
  const int me = shmem_my_pe(), n = shmem_n_pes();
  g_grid.parts = n;
  const size_t most = (size_t)(g_grid.side / n + 4) * g_grid.width * sizeof(double), width = g_grid.width;
  double *from = shmem_malloc(most), *to = shmem_malloc(most);
  if (from == NULL || to == NULL) {
    fprintf(stderr, "laplace: the symmetric heap is too small; raise SHMEM_SYMMETRIC_SIZE\n");
    shmem_global_exit(1);
  }
  const int first = first_of(g_grid, me), rows = rows_of(g_grid, me);
  fill(g_grid, from, first - 1, first + rows + 1);
  fill(g_grid, to, first - 1, first + rows + 1);
  shmem_barrier_all();
  const double start = now();
  for (int k = 0; k < g_grid.steps; ++k) {
    step(g_grid, rows, from, to);
    if (me > 0) {
      const int above = rows_of(g_grid, me - 1);
      shmem_double_put(to + (size_t)(above + 1) * width, to + width, width, me - 1);
    }
    if (me < n - 1) {
      shmem_double_put(to, to + (size_t)rows * width, width, me + 1);
    }
    shmem_barrier_all();
    double* other = from;
    from = to;
    to = other;
  }
  const double took = now() - start;
  part = sum_of_rows(g_grid, from + (me == 0 ? 0 : width), rows + (me == 0) + (me == n - 1));
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &all, &part, 1);
  *sum = all;
  return took;
}

static void* work(void* number) {
  const int part = (int)(intptr_t)number;
  const int rows = rows_of(g_grid, part);
  const size_t before = (size_t)(first_of(g_grid, part) - 1) * g_grid.width;
  double *from = g_from, *to = g_to;
  fill_part(g_grid, from, part);
  fill_part(g_grid, to, part);
  pthread_barrier_wait(&g_meet);
  const double start = now();
  for (int k = 0; k < g_grid.steps; ++k) {
    step(g_grid, rows, from + before, to + before);
    pthread_barrier_wait(&g_meet);
    double* other = from;
    from = to;
    to = other;
  }
  if (part == 0) {
    g_took = now() - start;
  }
  return NULL;
}

static double threads(double* sum) {
  enum { kMost = 64 };
  pthread_t made[kMost];
  g_grid.parts = g_grid.parts > kMost ? kMost : g_grid.parts;
  g_from = aligned_alloc(4096, bytes_of(g_grid)), g_to = aligned_alloc(4096, bytes_of(g_grid));
  if (g_from == NULL || g_to == NULL) {
    fprintf(stderr, "laplace: no memory\n");
    exit(1);
  }
  pthread_barrier_init(&g_meet, NULL, (unsigned)g_grid.parts);
  for (int k = 1; k < g_grid.parts; ++k) {
    if (pthread_create(&made[k], NULL, work, (void*)(intptr_t)k) != 0) {
      fprintf(stderr, "laplace: no thread\n");
      exit(1);
    }
  }
  (void)work(NULL);
  for (int k = 1; k < g_grid.parts; ++k) {
    pthread_join(made[k], NULL);
  }
  *sum = sum_of_rows(g_grid, g_grid.steps % 2 == 0 ? g_from : g_to, g_grid.side);
  return g_took;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "shared";
  g_grid = grid_of(argc, argv, 2);
  double sum = 0;
  if (strcmp(way, "threads") == 0) {
    const double took = threads(&sum);
    printf("laplace threads %d sum %.6f %.6f\n", g_grid.parts, sum, took);
  } else if (strcmp(way, "puts") == 0) {
    shmem_init();
    const double took = puts_of_rows(&sum);
    if (shmem_my_pe() == 0) {
      printf("laplace puts %d sum %.6f %.6f\n", shmem_n_pes(), sum, took);
    }
    shmem_finalize();
  } else {
    weft_shared_init();
    const double took = shared(&sum);
    if (weft_shared_my_pe() == 0) {
      printf("laplace shared %d sum %.6f %.6f\n", weft_shared_n_pes(), sum, took);
    }
    weft_shared_finalize();
  }
  return 0;
}
