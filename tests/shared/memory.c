/* Blocks of shared memory: the same address on all PEs, got and freed by any, kept apart, zeros, grown. */
#include <string.h>

#include "check.h"

enum { kBlocks = 200, kRounds = 20 };

static unsigned state;
static unsigned next(void) { return state = state * 1664525u + 1013904223u, state >> 8; }

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  state = (unsigned)me + 1;

  unsigned char* mine[kBlocks];
  size_t bytes[kBlocks];
  for (int k = 0; k < kBlocks; ++k) {
    bytes[k] = next() % (k % 10 == 0 ? 20000 : 300) + 1;
    mine[k] = weft_shared_malloc(bytes[k]);
    CHECK(mine[k] != NULL && (uintptr_t)mine[k] % 16 == 0);
    memset(mine[k], me * kBlocks + k, bytes[k]);
  }
  weft_shared_barrier();
  for (int k = 0; k < kBlocks; ++k) {
    for (size_t b = 0; b < bytes[k]; ++b) {
      CHECK(mine[k][b] == (unsigned char)(me * kBlocks + k));
    }
  }

  /* All PEs see each one's list, and each frees the next one's blocks. */
  unsigned char*** lists = zeros((size_t)n * sizeof *lists);
  lists[me] = weft_shared_malloc(sizeof mine);
  memcpy(lists[me], mine, sizeof mine);
  weft_shared_barrier();
  const int other = (me + 1) % n;
  for (int k = 0; k < kBlocks; ++k) {
    CHECK(lists[other][k][0] == (unsigned char)(other * kBlocks + k));
  }
  weft_shared_barrier();
  for (int k = 0; k < kBlocks; ++k) {
    weft_shared_free(lists[other][k]);
  }
  weft_shared_barrier();

  /* Zeros are zeros where others have written before; realloc keeps; alignments hold. */
  for (int round = 0; round < kRounds; ++round) {
    const size_t count = next() % 5000 + 1;
    int* zero = weft_shared_calloc(count, sizeof *zero);
    for (size_t k = 0; k < count; ++k) {
      CHECK(zero[k] == 0);
      zero[k] = (int)k;
    }
    zero = weft_shared_realloc(zero, 3 * count * sizeof *zero);
    for (size_t k = 0; k < count; ++k) {
      CHECK(zero[k] == (int)k);
    }
    const size_t alignment = (size_t)16 << next() % 12;
    void* aligned = weft_shared_aligned_alloc(alignment, next() % 100 + 1);
    CHECK(aligned != NULL && (uintptr_t)aligned % alignment == 0);
    weft_shared_free(aligned);
    weft_shared_free(zero);
  }
  weft_shared_free(NULL);
  CHECK(weft_shared_malloc((size_t)1 << 60) == NULL);
  weft_shared_finalize();
  return 0;
}
