/* Laplace's equation, the same loop in three ways: on shared pages, with puts of OpenSHMEM, and with threads of one
 * process.
 *
 * usage: laplace shared | puts | threads [points a side] [steps] [threads] */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/shared.h>

static int g_side, g_steps, g_parts;
static double *g_from, *g_to;
static pthread_barrier_t g_meet;
static double g_took; /* of threads: as the first one has it */

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* Rows first to last - 1; the arrays begin at the row before `first`. */
static void step(int side, int rows, const double* restrict from, double* restrict to) {
  for (int row = 1; row <= rows; ++row) {
    const double* here = from + (size_t)row * (size_t)side;
    double* there = to + (size_t)row * (size_t)side;
    for (int column = 1; column < side - 1; ++column) {
      there[column] = 0.25 * (here[column - side] + here[column + side] + here[column - 1] + here[column + 1]);
    }
  }
}

static int first_of(int part) { return 1 + (int)((long)(g_side - 2) * part / g_parts); }

/* The part's rows, and for the first and last part the border beside them. */
static void fill(int part, double* rows_before, int from_row, int to_row) {
  (void)part;
  for (int row = from_row; row < to_row; ++row) {
    for (int column = 0; column < g_side; ++column) {
      rows_before[(size_t)(row - from_row) * (size_t)g_side + (size_t)column] = row == 0 ? 1.0 : 0.0;
    }
  }
}

static void fill_whole(double* all, int part) {
  const int from = part == 0 ? 0 : first_of(part), to = part == g_parts - 1 ? g_side : first_of(part + 1);
  fill(part, all + (size_t)from * (size_t)g_side, from, to);
}

static double shared(void) {
  const int me = weft_shared_my_pe();
  const size_t bytes = (size_t)g_side * (size_t)g_side * sizeof(double);
  g_parts = weft_shared_n_pes();
  double* from = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
  double* to = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
  fill_whole(from, me);
  fill_whole(to, me);
  weft_shared_barrier();
  const int first = first_of(me), rows = first_of(me + 1) - first;
  const double start = now();
  for (int k = 0; k < g_steps; ++k) {
    step(g_side, rows, from + (size_t)(first - 1) * (size_t)g_side, to + (size_t)(first - 1) * (size_t)g_side);
    weft_shared_barrier();
    double* other = from;
    from = to;
    to = other;
  }
  return now() - start;
}

static double puts_of_rows(void) {
  const int me = shmem_my_pe(), n = shmem_n_pes();
  g_parts = n;
  const size_t side = (size_t)g_side, most = (size_t)(g_side / n + 4);
  double *from = shmem_malloc(most * side * sizeof(double)), *to = shmem_malloc(most * side * sizeof(double));
  if (from == NULL || to == NULL) {
    fprintf(stderr, "laplace: the symmetric heap is too small; raise SHMEM_SYMMETRIC_SIZE\n");
    shmem_global_exit(1);
  }
  const int first = first_of(me), rows = first_of(me + 1) - first;
  fill(me, from, first - 1, first + rows + 1);
  fill(me, to, first - 1, first + rows + 1);
  shmem_barrier_all();
  const double start = now();
  for (int k = 0; k < g_steps; ++k) {
    step(g_side, rows, from, to);
    if (me > 0) {
      const int above = first_of(me) - first_of(me - 1);
      shmem_double_put(to + (size_t)(above + 1) * side, to + side, side, me - 1);
    }
    if (me < n - 1) {
      shmem_double_put(to, to + (size_t)rows * side, side, me + 1);
    }
    shmem_barrier_all();
    double* other = from;
    from = to;
    to = other;
  }
  return now() - start;
}

static void* work(void* number) {
  const int part = (int)(intptr_t)number;
  const int first = first_of(part), rows = first_of(part + 1) - first;
  double *from = g_from, *to = g_to;
  fill_whole(from, part);
  fill_whole(to, part);
  pthread_barrier_wait(&g_meet);
  const double start = now();
  for (int k = 0; k < g_steps; ++k) {
    step(g_side, rows, from + (size_t)(first - 1) * (size_t)g_side, to + (size_t)(first - 1) * (size_t)g_side);
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

static double threads(void) {
  pthread_t made[64];
  const size_t bytes = (size_t)g_side * (size_t)g_side * sizeof(double);
  g_from = aligned_alloc(4096, bytes), g_to = aligned_alloc(4096, bytes);
  pthread_barrier_init(&g_meet, NULL, (unsigned)g_parts);
  for (int k = 1; k < g_parts; ++k) {
    pthread_create(&made[k], NULL, work, (void*)(intptr_t)k);
  }
  (void)work(NULL);
  for (int k = 1; k < g_parts; ++k) {
    pthread_join(made[k], NULL);
  }
  return g_took;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "shared";
  g_side = argc > 2 ? atoi(argv[2]) : 1024;
  g_steps = argc > 3 ? atoi(argv[3]) : 50;
  if (strcmp(way, "threads") == 0) {
    g_parts = argc > 4 ? atoi(argv[4]) : 2;
    printf("laplace threads %d %.6f\n", g_parts, threads());
  } else if (strcmp(way, "puts") == 0) {
    shmem_init();
    const double took = puts_of_rows();
    if (shmem_my_pe() == 0) {
      printf("laplace puts %d %.6f\n", shmem_n_pes(), took);
    }
    shmem_finalize();
  } else {
    weft_shared_init();
    const double took = shared();
    if (weft_shared_my_pe() == 0) {
      printf("laplace shared %d %.6f\n", weft_shared_n_pes(), took);
    }
    weft_shared_finalize();
  }
  return 0;
}
