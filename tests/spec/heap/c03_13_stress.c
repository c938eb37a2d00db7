/* 3.2 to 3.5 together: a random walk of malloc, calloc, align, realloc and free, the same on every PE, with every live
 * block's contents looked at, here and on a neighbour; holes are joined again, and at the end the whole heap is one. */
#include "../check.h"

enum { kLive = 60, kSteps = 1500 };

typedef struct {
  unsigned char* p;
  size_t size;
  int tag;
} Block;

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void) { /* xorshift: the same sequence on every PE */
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static size_t random_size(void) {
  const uint64_t r = next_random();
  switch (r % 8) {
    case 0: return 1 + (r >> 8) % 16;
    case 1: return 4096 * (1 + (r >> 8) % 4);
    case 2: return 100000 + (r >> 8) % 100000;
    default: return 1 + (r >> 8) % 3000;
  }
}

static void look_at(const Block* b, const char* when, int step) {
  const size_t wrong = check_find_wrong(b->p, b->tag + check_me, b->size);
  CHECK(wrong == b->size, "step %d, %s: byte %zu of %zu", step, when, wrong, b->size);
}

int main(void) {
  static Block live[kLive];
  static unsigned char got[400000];
  int step, k;
  check_begin();
  for (step = 0; step < kSteps && !check_failures; ++step) {
    Block* b = &live[next_random() % kLive];
    const size_t size = random_size();
    const unsigned what = (unsigned)(next_random() % 8);
    STEP("a step of the walk");
    if (b->p && what < 4) {
      look_at(b, "before free", step);
      shmem_free(b->p);
      b->p = NULL;
      continue;
    }
    if (b->p) {
      const size_t keep = b->size < size ? b->size : size;
      unsigned char* moved = (unsigned char*)shmem_realloc(b->p, size);
      REQUIRE(moved != NULL, "realloc to %zu in step %d", size, step);
      b->p = moved;
      b->size = keep;
      look_at(b, "after realloc", step);
      shmem_barrier_all();
    } else if (what == 0) {
      b->p = (unsigned char*)shmem_calloc(size, 1);
      REQUIRE(b->p != NULL, "calloc(%zu) in step %d", size, step);
      CHECK(b->p[0] == 0 && b->p[size / 2] == 0 && b->p[size - 1] == 0, "calloc of used memory, step %d", step);
      shmem_barrier_all();
    } else if (what == 1) {
      const size_t alignment = (size_t)8 << next_random() % 14;
      b->p = (unsigned char*)shmem_align(alignment, size);
      REQUIRE(b->p != NULL, "align(%zu, %zu) in step %d", alignment, size, step);
      CHECK_EQ((uintptr_t)b->p % alignment, 0, "align in step %d", step);
    } else {
      b->p = (unsigned char*)shmem_malloc(size);
      REQUIRE(b->p != NULL, "malloc(%zu) in step %d", size, step);
    }
    b->size = size;
    b->tag = step % 97;
    check_fill(b->p, b->tag + check_me, size);
    for (k = 0; k < kLive; ++k)
      if (&live[k] != b && live[k].p)
        CHECK(live[k].p + live[k].size <= b->p || b->p + size <= live[k].p, "blocks overlap in step %d", step);
    if (step % 50 == 49) {
      shmem_barrier_all();
      for (k = 0; k < kLive; ++k) {
        const int to = check_right(1 + step % 3);
        size_t wrong;
        if (!live[k].p) continue;
        look_at(&live[k], "all", step);
        shmem_getmem(got, live[k].p, live[k].size, to);
        wrong = check_find_wrong(got, live[k].tag + to, live[k].size);
        CHECK(wrong == live[k].size, "step %d: byte %zu of %zu on PE %d", step, wrong, live[k].size, to);
      }
      shmem_barrier_all();
    }
  }
  for (k = 0; k < kLive; ++k) {
    if (live[k].p) look_at(&live[k], "at the end", step);
    shmem_free(live[k].p);
  }
  {
    void* all = shmem_malloc((size_t)32 << 20);
    CHECK(all != NULL, "the holes were not joined: no block of all 32 MiB");
    shmem_free(all);
  }
  return check_end();
}
