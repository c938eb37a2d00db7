/* How heat spreads in a metal plate, computed by several PEs.
 *
 *   oshcc -O3 heat.c picture.c -o heat -lm && oshrun -n 4 ./heat -o heat.png
 *
 * The plate is a grid of cells. In each time step every cell moves a little towards the mean of its four neighbours:
 *
 *   next = here + K * (above + below + left + right - 4 * here)
 *
 * The plate's edges are insulated, so no heat is ever lost: that is one of the two checks at the end. The other is a
 * small plate that PE 0 also solves alone; every bit must be the same.
 *
 * Each PE owns a band of rows. To compute its first and last row it needs one row of each neighbour: a copy of them,
 * the halo, lies above and below its own rows. Nobody asks for these rows. Whoever has computed an edge row puts it
 * into the neighbour's halo, together with a signal; the neighbour waits for the signal when it needs the row.
 *
 *              PE 0                        PE 1
 *          0   insulated edge        .-->  0   halo: the last row of PE 0
 *          1   first row             |     1   first row --.
 *         ...                        |    ...              |
 *          n   last row -------------'     n   last row    |
 *        n+1   halo: the first row of PE 1   <-------------'
 */
#include <errno.h>
#include <math.h>
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "picture.h"

#define K 0.2    /* how fast heat flows; above 0.25 the computation would not be stable */
#define PANELS 4 /* moments of time in the picture: two above, two below */
#define GAP 4    /* pixels between them */

static int me, n_pes;

/* Static variables are symmetric: every PE has them, and every other PE can write to them. */
static uint64_t signal_from_above, signal_from_below; /* how many halo rows have come from there */
static uint64_t cells_computed, halo_bytes;           /* PE 0's count for all */

struct plate {
  int width, height;   /* of the whole plate, in cells */
  int first_row, rows; /* this PE's band of it */
  size_t stride;       /* cells in memory from one row to the next: one more at each end */
  double *now, *next;  /* rows + 2 rows each; symmetric */
  uint64_t sent;       /* how many halo rows this PE has sent to each neighbour */
};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const char* why) {
  fprintf(stderr, "heat: %s\n", why);
  shmem_global_exit(1);
}

/* ---- which PE owns what ---- */

static int first_row_of(int pe, int height) { return (int)((long)height * pe / n_pes); }

static int rows_of(int pe, int height) { return first_row_of(pe + 1, height) - first_row_of(pe, height); }

static double* row(const struct plate* p, double* cells, int number) { return cells + (size_t)number * p->stride; }

/* ---- one time step ---- */

static void compute_rows(const struct plate* p, int from, int to) {
  for (int y = from; y <= to; y++) {
    const double* restrict above = row(p, p->now, y - 1);
    const double* restrict here = row(p, p->now, y);
    const double* restrict below = row(p, p->now, y + 1);
    double* restrict out = row(p, p->next, y);
    for (int x = 1; x <= p->width; x++) {
      out[x] = here[x] + K * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
    }
    /* Insulated: behind the edge it is as warm as before it, so nothing flows. */
    out[0] = out[1];
    out[p->width + 1] = out[p->width];
  }
}

/* Puts this PE's first and last row into the halos of its neighbours. `cells` is p->now or p->next: an address in this
 * PE's own memory, which in a put stands for the same place in the other PE's. */
static void send_edges(struct plate* p, double* cells) {
  /* A neighbour may still be waiting for our last signal. Without the fence this one could get there before it, and be
   * overwritten by it. */
  shmem_fence();
  p->sent++;
  if (me > 0) {
    int bottom_halo = rows_of(me - 1, p->height) + 1;
    shmem_double_put_signal(row(p, cells, bottom_halo), row(p, cells, 1), p->stride, /* the row */
                            &signal_from_below, p->sent, SHMEM_SIGNAL_SET, me - 1);
  } else {
    memcpy(row(p, cells, 0), row(p, cells, 1), p->stride * sizeof(double));
  }
  if (me < n_pes - 1) {
    shmem_double_put_signal(row(p, cells, 0), row(p, cells, p->rows), p->stride, /* the row */
                            &signal_from_above, p->sent, SHMEM_SIGNAL_SET, me + 1);
  } else {
    memcpy(row(p, cells, p->rows + 1), row(p, cells, p->rows), p->stride * sizeof(double));
  }
}

static void wait_for_edges(const struct plate* p) {
  if (me > 0) shmem_signal_wait_until(&signal_from_above, SHMEM_CMP_GE, p->sent);
  if (me < n_pes - 1) shmem_signal_wait_until(&signal_from_below, SHMEM_CMP_GE, p->sent);
}

/* No barrier is needed between steps. A neighbour that is ahead writes its next row into the halo of the other array
 * (now and next change places each step). It can be ahead by one step only, because for the step after that it needs
 * our edge row, and we send that only after we have read the halo. */
static void step(struct plate* p) {
  compute_rows(p, 1, 1);
  if (p->rows > 1) compute_rows(p, p->rows, p->rows);
  send_edges(p, p->next); /* they travel while we compute the rest */
  compute_rows(p, 2, p->rows - 1);
  wait_for_edges(p);

  double* swap = p->now;
  p->now = p->next;
  p->next = swap;
}

/* ---- what all PEs have to know together ---- */

/* The largest of the values that the PEs give. Everybody puts its own into everybody's list. Two lists in turn: while
 * somebody still reads one, a fast PE may already fill the other. */
static double largest_of_all(double mine, double* lists) {
  static int turn = 0;
  double* list = lists + turn * n_pes;
  turn = 1 - turn;
  for (int pe = 0; pe < n_pes; pe++) shmem_double_p(&list[me], mine, pe);
  shmem_barrier_all(); /* completes the puts of all */
  double largest = list[0];
  for (int pe = 1; pe < n_pes; pe++) largest = fmax(largest, list[pe]);
  return largest;
}

static double largest_change(const struct plate* p) {
  double change = 0;
  for (int y = 1; y <= p->rows; y++) {
    const double *now = row(p, p->now, y), *before = row(p, p->next, y);
    for (int x = 1; x <= p->width; x++) change = fmax(change, fabs(now[x] - before[x]));
  }
  return change;
}

/* ---- making a plate ---- */

static void fill(struct plate* p) {
  for (int y = 1; y <= p->rows; y++) {
    double* cells = row(p, p->now, y);
    for (int x = 1; x <= p->width; x++) {
      cells[x] = first_temperature(x - 1, p->first_row + y - 1, p->width, p->height);
    }
    cells[0] = cells[1];
    cells[p->width + 1] = cells[p->width];
  }
}

static struct plate new_plate(int width, int height) {
  struct plate p = {.width = width, .height = height, .stride = (size_t)width + 2};
  p.first_row = first_row_of(me, height);
  p.rows = rows_of(me, height);
  /* Some PEs have a row more than others. What is allocated must be the same on all, so that an address of ours stands
   * for the same row of a neighbour. */
  size_t most_rows = (size_t)(height + n_pes - 1) / (size_t)n_pes + 2;
  p.now = shmem_malloc(most_rows * p.stride * sizeof(double));
  p.next = shmem_malloc(most_rows * p.stride * sizeof(double));
  if (!p.now || !p.next) give_up("the plate does not fit into the symmetric heap; set SHMEM_SYMMETRIC_SIZE=1G or more");
  p.sent = me > 0 ? signal_from_above : signal_from_below; /* of an earlier plate */
  fill(&p);
  shmem_barrier_all(); /* nobody sends rows before all plates are there */
  send_edges(&p, p.now);
  wait_for_edges(&p);
  return p;
}

static void free_plate(struct plate* p) {
  shmem_free(p->next);
  shmem_free(p->now);
}

/* ---- checks ---- */

/* A small plate twice: by all PEs together, and by PE 0 alone. The same operations on the same numbers must give the
 * same bits, however the work is divided. */
static int small_plate_is_right(void) {
  int width = 67, height = n_pes > 20 ? 2 * n_pes + 1 : 41, steps = 60;
  struct plate p = new_plate(width, height);
  for (int k = 0; k < steps; k++) step(&p);

  double* result = shmem_malloc((size_t)height * p.stride * sizeof(double)); /* PE 0's is used */
  if (!result) give_up("no room for the check; set SHMEM_SYMMETRIC_SIZE=1G or more");
  shmem_putmem(row(&p, result, p.first_row), row(&p, p.now, 1), (size_t)p.rows * p.stride * sizeof(double), 0);
  shmem_barrier_all();

  int right = 1;
  if (me == 0) {
    struct plate alone = {.width = width, .height = height, .rows = height, .stride = p.stride};
    size_t cells = (size_t)(height + 2) * alone.stride;
    alone.now = calloc(2 * cells, sizeof(double));
    if (!alone.now) give_up("no memory for the check");
    double* memory = alone.now;
    alone.next = alone.now + cells;
    fill(&alone);
    for (int k = 0; k < steps; k++) {
      memcpy(alone.now, row(&alone, alone.now, 1), alone.stride * sizeof(double));
      memcpy(row(&alone, alone.now, height + 1), row(&alone, alone.now, height), alone.stride * sizeof(double));
      compute_rows(&alone, 1, height);
      double* swap = alone.now;
      alone.now = alone.next;
      alone.next = swap;
    }
    right = memcmp(result, row(&alone, alone.now, 1), (size_t)height * alone.stride * sizeof(double)) == 0;
    free(memory);
    printf("  check     %d x %d cells, %d steps: %s PE 0's result without the others\n", width, height, steps,
           right ? "every bit as in" : "DIFFERS from");
  }
  shmem_barrier_all();
  shmem_free(result);
  free_plate(&p);
  return right;
}

/* All the heat there is. Every PE puts its part next to the others' in PE 0. */
static double total_heat(const struct plate* p, double* list) {
  double sum = 0;
  for (int y = 1; y <= p->rows; y++) {
    const double* cells = row(p, p->now, y);
    for (int x = 1; x <= p->width; x++) sum += cells[x];
  }
  shmem_double_p(&list[me], sum, 0);
  shmem_barrier_all();
  double total = 0;
  for (int pe = 0; me == 0 && pe < n_pes; pe++) total += list[pe];
  shmem_barrier_all(); /* the list may be used again */
  return total;
}

/* ---- the picture ---- */

struct picture {
  int scale; /* cells per pixel, in each direction */
  int panel_width, panel_height;
  int width, height;
  unsigned char* shades; /* symmetric; PE 0's is the picture */
};

static struct picture new_picture(const struct plate* p) {
  struct picture image = {.scale = (p->width + 639) / 640};
  image.panel_width = p->width / image.scale;
  image.panel_height = p->height / image.scale;
  image.width = 2 * image.panel_width + GAP;
  image.height = PANELS / 2 * (image.panel_height + GAP) - GAP;
  image.shades = shmem_malloc((size_t)image.width * (size_t)image.height);
  if (!image.shades) give_up("the picture does not fit into the symmetric heap; set SHMEM_SYMMETRIC_SIZE=1G or more");
  memset(image.shades, 255, (size_t)image.width * (size_t)image.height);
  shmem_barrier_all();
  return image;
}

/* Each PE paints its own rows, straight into the picture that PE 0 has. A pixel is the mean of scale x scale cells;
 * where these end in the next PE's rows we stop at the halo row, which we have. */
static void paint(const struct picture* image, const struct plate* p, int panel) {
  unsigned char* line = malloc((size_t)image->panel_width);
  if (!line) give_up("no memory for a line of the picture");
  for (int y = 1; y <= p->rows; y++) {
    int number = p->first_row + y - 1;
    if (number % image->scale != 0 || number / image->scale >= image->panel_height) continue;
    int last = y + image->scale - 1 <= p->rows + 1 ? y + image->scale - 1 : p->rows + 1;
    for (int x = 0; x < image->panel_width; x++) {
      double sum = 0;
      for (int k = y; k <= last; k++) {
        for (int j = 1; j <= image->scale; j++) sum += row(p, p->now, k)[x * image->scale + j];
      }
      line[x] = shade_of(sum / ((last - y + 1) * image->scale));
    }
    size_t to_line = (size_t)(panel / 2 * (image->panel_height + GAP) + number / image->scale);
    size_t to_column = (size_t)(panel % 2 * (image->panel_width + GAP));
    shmem_putmem(image->shades + to_line * (size_t)image->width + to_column, line, (size_t)image->panel_width, 0);
  }
  free(line);
}

/* ---- the run ---- */

struct request {
  int width, height, steps;
  double still;     /* the plate counts as at rest when no cell changes by more than this */
  const char* file; /* for the picture; NULL: none */
};

static struct request read_arguments(int argc, char** argv) {
  struct request r = {.width = 1024, .height = 640, .steps = 3200, .still = 1e-9, .file = NULL};
  int option;
  while ((option = getopt(argc, argv, "w:h:s:r:o:")) != -1) {
    switch (option) {
      case 'w': r.width = atoi(optarg); break;
      case 'h': r.height = atoi(optarg); break;
      case 's': r.steps = atoi(optarg); break;
      case 'r': r.still = atof(optarg); break;
      case 'o': r.file = optarg; break;
      default: r.steps = 0;
    }
  }
  if (r.width < 1 || r.height < n_pes || r.steps < 1 || optind < argc) {
    if (me == 0) {
      fprintf(
          stderr,
          "usage: heat [-w WIDTH] [-h HEIGHT] [-s STEPS] [-r CHANGE] [-o FILE.png]\n"
          "  a plate of WIDTH x HEIGHT cells, at least one row for each PE; ends after STEPS time steps, or as soon\n"
          "  as no cell changes by more than CHANGE; the picture shows four moments\n");
    }
    shmem_barrier_all();
    shmem_finalize();
    exit(2);
  }
  return r;
}

/* Returns how many steps were made. */
static int run(struct plate* p, const struct request* r, const struct picture* image, double* lists) {
  int next_panel = 1; /* the beginning is painted already; the others show 1/16, 1/4 and all of the time */
  int report_every = r->steps >= 4 ? r->steps / 4 : 1;
  int done = 0;
  for (int at_rest = 0; done < r->steps && !at_rest;) {
    step(p);
    done++;
    if (done % report_every == 0 || done == r->steps) {
      double change = largest_of_all(largest_change(p), lists);
      at_rest = change <= r->still; /* all PEs have the same numbers, so they decide alike */
      if (me == 0) printf("  step %5d largest change of a cell in one step %.1e\n", done, change);
    }
    int panel_is_due = done == r->steps >> (2 * (PANELS - 1 - next_panel));
    if (image && (panel_is_due || at_rest)) {
      paint(image, p, panel_is_due ? next_panel : PANELS - 1);
      next_panel++;
    }
  }
  return done;
}

/* PE 0 tells how it went. Returns whether all is right. */
static int report(const struct plate* p, int steps, double took, double heat_before, double heat_after) {
  double lost = fabs(heat_after - heat_before) / heat_before;
  int kept = lost < 1e-9;
  printf("  heat      %.6f before, %.6f after: %s (relative difference %.0e)\n", heat_before, heat_after,
         kept ? "all still there" : "NOT KEPT", lost);
  printf("  speed     %.2f s, %.1f us for each step, %.0f million cell updates per second\n", took, took / steps * 1e6,
         (double)cells_computed / took / 1e6);
  printf("  halos     %.1f MB by one-sided puts with signal, %zu bytes each, %.0f MB/s\n", (double)halo_bytes / 1e6,
         p->stride * sizeof(double), (double)halo_bytes / took / 1e6);
  return kept;
}

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  struct request r = read_arguments(argc, argv);
  if (me == 0) {
    printf("heat: a plate of %d x %d cells, %d time steps, %d PE%s; PE 0 has %d rows\n", r.width, r.height, r.steps,
           n_pes, n_pes == 1 ? "" : "s", rows_of(0, r.height));
  }

  int right = small_plate_is_right();

  double* lists = shmem_malloc(2 * (size_t)n_pes * sizeof(double));
  if (!lists) give_up("no room in the symmetric heap; set SHMEM_SYMMETRIC_SIZE=1G or more");
  struct plate p = new_plate(r.width, r.height);
  struct picture image = {0};
  if (r.file) {
    image = new_picture(&p);
    paint(&image, &p, 0);
  }
  double heat_before = total_heat(&p, lists);

  double begin = seconds();
  int steps = run(&p, &r, r.file ? &image : NULL, lists);
  /* Everybody adds to PE 0's counters. The barrier completes the additions. */
  int neighbours = (me > 0) + (me < n_pes - 1);
  shmem_uint64_atomic_add(&cells_computed, (uint64_t)steps * (uint64_t)p.rows * (uint64_t)p.width, 0);
  shmem_uint64_atomic_add(&halo_bytes, (uint64_t)steps * (uint64_t)neighbours * p.stride * sizeof(double), 0);
  shmem_barrier_all();
  double took = seconds() - begin;

  double heat_after = total_heat(&p, lists);
  if (me == 0) {
    right &= report(&p, steps, took, heat_before, heat_after);
    if (r.file && write_png(r.file, image.shades, image.width, image.height) != 0) {
      fprintf(stderr, "heat: cannot write %s: %s\n", r.file, strerror(errno));
      right = 0;
    } else if (r.file) {
      printf("  picture   %s, %d x %d: the plate at the beginning, after 1/16, 1/4 and all of the time\n", r.file,
             image.width, image.height);
    }
    printf(right ? "heat: all is right\n" : "heat: SOMETHING IS WRONG\n");
  }

  if (r.file) shmem_free(image.shades);
  free_plate(&p);
  shmem_free(lists);
  shmem_finalize();
  return right ? 0 : 1;
}
