/* Programs without races, made by a seed, against what they must do. In each round every piece of some memory has one
 * thread that writes it, all of it or a part; the pieces are of any size and begin anywhere, so that several threads
 * write bytes of one page. All PEs reckon with what everybody writes, and look at some of it behind the barrier.
 * Meanwhile locks are taken for sums, and blocks come and go.
 *
 * usage: random SEEDS THREADS [FIRST SEED] */
#include <pthread.h>
#include <string.h>

#include "threads.h"

enum { kMost = 1 << 18, kRounds = 12, kCells = 24 };

struct cell {
  weft_shared_lock_t lock;
  long sum;
  long times;
};

static int g_threads, g_me, g_n;
static unsigned g_seed;
static unsigned char* g_memory;
static struct cell* g_cells;
static size_t g_bytes;
static pthread_barrier_t g_meet;

static unsigned turn(unsigned* state) {
  *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
  return *state;
}

static unsigned mixed(unsigned a, unsigned b) {
  unsigned x = a * 2654435761u ^ (b + 1) * 2246822519u;
  x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
  return x == 0 ? 1 : x;
}

/* For how many rounds each piece has the same writer: then pages move to him. */
static int rounds_of_each(void) { return 1 + (int)(mixed(g_seed, 500) % 3) * 3; }

/* What the writers of a round do to `memory`: those of one worker, or of all. */
static void write_round(unsigned char* memory, int round, int worker, int workers) {
  unsigned state = mixed(g_seed, (unsigned)(round / rounds_of_each()));
  const unsigned most = 1u << turn(&state) % 17; /* up to 64 KiB at a time */
  for (size_t at = turn(&state) % 100; at < g_bytes;) {
    size_t length = turn(&state) % most + 1;
    const int writer = (int)(turn(&state) % (unsigned)workers);
    const unsigned kind = turn(&state) % 4, value = turn(&state) + (unsigned)round * 3;
    length = at + length > g_bytes ? g_bytes - at : length;
    if (worker < 0 || worker == writer) {
      for (size_t k = 0; k < length; ++k) {
        if (kind == 0) {
          break; /* left as it was */
        }
        if (kind == 1) {
          memory[at + k] = (unsigned char)value;
        } else if (kind == 2 ? k % 7 == value % 7 : 1) {
          memory[at + k] = (unsigned char)(value + k * 3);
        }
      }
    }
    at += length;
  }
}

static void look_round(const unsigned char* expected, int round, int worker) {
  unsigned state = mixed(g_seed + 77, (unsigned)(round * 64 + worker));
  const int looks = (int)(turn(&state) % 20);
  for (int k = 0; k < looks; ++k) {
    const size_t at = turn(&state) % g_bytes;
    size_t length = turn(&state) % (1u << turn(&state) % 15) + 1;
    length = at + length > g_bytes ? g_bytes - at : length;
    if (memcmp(g_memory + at, expected + at, length) != 0) {
      size_t b = at;
      while (g_memory[b] == expected[b]) {
        ++b;
      }
      fprintf(stderr, "PE %d: seed %u: round %d: byte %zu is %d and not %d\n", g_me, g_seed, round, b, g_memory[b],
              expected[b]);
      exit(1);
    }
  }
}

static void meet(void) {
  if (pthread_barrier_wait(&g_meet) == PTHREAD_BARRIER_SERIAL_THREAD) {
    weft_shared_barrier();
  }
  pthread_barrier_wait(&g_meet);
}

static void* work(void* number) {
  const int thread = (int)(intptr_t)number, worker = g_me * g_threads + thread, workers = g_n * g_threads;
  unsigned char* expected = calloc(g_bytes, 1);
  unsigned own = mixed(g_seed + 5, (unsigned)worker);
  long added = 0;
  for (int round = 0; round < kRounds; ++round) {
    write_round(g_memory, round, worker, workers);
    for (int k = 0; k < 6; ++k) {
      struct cell* cell = &g_cells[turn(&own) % kCells];
      weft_shared_lock(&cell->lock);
      cell->sum += 3;
      ++cell->times;
      CHECK(cell->sum == 3 * cell->times);
      weft_shared_unlock(&cell->lock);
      ++added;
    }
    unsigned char* block = weft_shared_malloc(turn(&own) % 9000 + 1);
    block[0] = (unsigned char)worker;
    write_round(expected, round, -1, workers);
    meet();
    CHECK(block[0] == (unsigned char)worker);
    weft_shared_free(block);
    look_round(expected, round, worker);
    meet();
  }
  CHECK(memcmp(g_memory, expected, g_bytes) == 0);
  free(expected);
  return (void*)(intptr_t)added;
}

int main(int argc, char** argv) {
  const unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 4, first = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
  g_threads = argc > 2 ? atoi(argv[2]) : 1;
  weft_shared_init();
  g_me = weft_shared_my_pe(), g_n = weft_shared_n_pes();
  CHECK(g_threads >= 1 && g_threads <= kMostThreads);
  pthread_barrier_init(&g_meet, NULL, (unsigned)g_threads);
  for (g_seed = first; g_seed < first + seeds; ++g_seed) {
    g_bytes = mixed(g_seed, 1000) % kMost + 1;
    g_memory = zeros(g_bytes);
    g_cells = zeros(kCells * sizeof *g_cells);
    in_threads(g_threads, work);
    weft_shared_barrier();
    long times = 0;
    for (int k = 0; k < kCells; ++k) {
      times += g_cells[k].times;
    }
    CHECK(times == 6L * kRounds * g_n * g_threads);
    weft_shared_barrier();
    if (g_me == 0) {
      weft_shared_free(g_memory);
      weft_shared_free(g_cells);
    }
  }
  weft_shared_finalize();
  return 0;
}
