/* Blocks that come and go as fast as they can: threads of all PEs get blocks of all sizes, fill them, let them grow and
 * shrink, and give them back; some they hand to whoever comes next, of any PE, who looks at what is in them. Where
 * there is no memory left they give something back first. At the end all of it is free again, and in one piece.
 *
 * usage: storm [TIMES] [THREADS] */
#include <string.h>

#include "threads.h"

enum { kHeld = 24, kBoxes = 5, kMostSmall = 600, kMostMedium = 9000, kMostLarge = 70000, kPage = 4096 };

struct block {
  unsigned char* at; /* NULL: there is none */
  size_t bytes;
  unsigned seed; /* of what is in it */
};
struct box {
  weft_shared_lock_t lock;
  struct block block;
};

static int g_me, g_threads, g_times;
static struct box* g_boxes;

static unsigned turn(unsigned* state) {
  *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
  return *state;
}

static void fill(struct block* block, unsigned seed) {
  block->seed = seed;
  for (size_t k = 0; k < block->bytes; ++k) {
    block->at[k] = (unsigned char)(seed + k * 7);
  }
}
/* What nobody else has written to. */
static void look(const struct block* block, size_t bytes) {
  for (size_t k = 0; k < bytes; ++k) {
    CHECK(block->at[k] == (unsigned char)(block->seed + k * 7));
  }
}
static void give_back(struct block* block) {
  if (block->at != NULL) {
    look(block, block->bytes);
    weft_shared_free(block->at);
    block->at = NULL;
  }
}

static size_t any_size(unsigned* state) {
  const unsigned kind = turn(state) % 8;
  return turn(state) % (kind < 5 ? kMostSmall : kind < 7 ? kMostMedium : kMostLarge) + 1;
}

static void get(struct block* block, unsigned* state) {
  const unsigned way = turn(state) % 3;
  const size_t alignment = (size_t)16 << turn(state) % 10;
  block->bytes = any_size(state);
  block->at = way == 0   ? weft_shared_malloc(block->bytes)
              : way == 1 ? weft_shared_calloc(block->bytes, 1)
                         : weft_shared_aligned_alloc(alignment, block->bytes);
  if (block->at == NULL) {
    return; /* others have it all */
  }
  CHECK((uintptr_t)block->at % (way == 2 ? alignment : 16) == 0);
  for (size_t k = 0; way == 1 && k < block->bytes; ++k) {
    CHECK(block->at[k] == 0);
  }
  fill(block, turn(state));
}

static void resize(struct block* block, unsigned* state) {
  const size_t bytes = any_size(state), kept = bytes < block->bytes ? bytes : block->bytes;
  unsigned char* const moved = weft_shared_realloc(block->at, bytes);
  if (moved == NULL) {
    return; /* it is where it was */
  }
  block->at = moved;
  look(block, kept);
  block->bytes = bytes;
  fill(block, turn(state));
}

/* What is in the box is this thread's, and the other way round. */
static void exchange(struct block* block, unsigned* state) {
  struct box* const box = &g_boxes[turn(state) % kBoxes];
  weft_shared_lock(&box->lock);
  const struct block theirs = box->block;
  box->block = *block;
  weft_shared_unlock(&box->lock);
  *block = theirs;
  if (block->at != NULL) {
    look(block, block->bytes);
  }
}

static void* work(void* number) {
  struct block held[kHeld] = {{NULL, 0, 0}};
  unsigned state = (unsigned)(g_me * kMostThreads + (int)(intptr_t)number + 1) * 2654435761u;
  for (int k = 0; k < g_times; ++k) {
    struct block* const block = &held[turn(&state) % kHeld];
    const unsigned what = turn(&state) % 8;
    if (block->at == NULL) {
      get(block, &state);
    } else if (what < 2) {
      resize(block, &state);
    } else if (what < 5) {
      exchange(block, &state);
    } else {
      give_back(block);
    }
  }
  for (int k = 0; k < kHeld; ++k) {
    give_back(&held[k]);
  }
  return NULL;
}

/* The largest block that can be had, in pages. */
static size_t largest(size_t pages) {
  void* got = NULL;
  while (pages > 0 && (got = weft_shared_malloc(pages * kPage)) == NULL) {
    --pages;
  }
  weft_shared_free(got);
  return pages;
}

int main(int argc, char** argv) {
  g_times = argc > 1 ? atoi(argv[1]) : 1000;
  g_threads = argc > 2 ? atoi(argv[2]) : 3;
  weft_shared_init();
  g_me = weft_shared_my_pe();
  g_boxes = zeros(kBoxes * sizeof *g_boxes);
  const size_t before = g_me == 0 ? largest(4096) : 0;
  weft_shared_barrier();
  in_threads(g_threads, work);
  weft_shared_barrier();
  if (g_me == 0) {
    for (int k = 0; k < kBoxes; ++k) {
      give_back(&g_boxes[k].block);
    }
    const size_t behind = largest(4096);
    printf("%zu pages in a row before, %zu behind\n", before, behind);
    CHECK(before > 0 && behind == before);
  }
  weft_shared_finalize();
  return 0;
}
