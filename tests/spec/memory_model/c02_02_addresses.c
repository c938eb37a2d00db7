/* 2.2 Heap addresses need not agree between PEs: a PE always names an object by its own address, and that names the
 * matching object of the target. */
#include "../check.h"

enum { kBlocks = 24 };
static void* kept[64 * 3];
static long addresses[64];
static long offsets[64][kBlocks];

int main(void) {
  char* block[kBlocks];
  int i, pe, differ = 0;
  check_begin();
  REQUIRE(check_n <= 64, "%d PEs", check_n);
  /* Something that differs between PEs, so that private memory is not laid out alike. */
  for (i = 0; i < check_me * 3; ++i) REQUIRE((kept[i] = malloc(100000 + (size_t)check_me * 4096)) != NULL, "malloc");
  for (i = 0; i < kBlocks; ++i) {
    block[i] = (char*)shmem_malloc((size_t)(i * 977 + 1));
    REQUIRE(block[i] != NULL, "block %d", i);
    check_fill(block[i], check_me * kBlocks + i, (size_t)(i * 977 + 1));
  }
  for (pe = 0; pe < check_n; ++pe) {
    shmem_long_p(&addresses[check_me], (long)(intptr_t)block[0], pe);
    for (i = 0; i < kBlocks; ++i) shmem_long_p(&offsets[check_me][i], (long)(block[i] - block[0]), pe);
  }
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) {
    differ += addresses[pe] != addresses[check_me];
    /* the same calls in the same order: the same place in the heap on every PE */
    for (i = 0; i < kBlocks; ++i) CHECK_EQ(offsets[pe][i], block[i] - block[0], "offset of block %d on PE %d", i, pe);
  }
  if (check_me == 0) printf("%d of %d heaps lie elsewhere than PE 0's\n", differ, check_n);
  for (pe = 0; pe < check_n; ++pe) {
    for (i = 0; i < kBlocks; ++i) {
      const size_t n = (size_t)(i * 977 + 1);
      static char got[kBlocks * 977];
      size_t wrong;
      shmem_getmem(got, block[i], n, pe);
      wrong = check_find_wrong(got, pe * kBlocks + i, n);
      CHECK(wrong == n, "block %d of PE %d, byte %zu", i, pe, wrong);
    }
  }
  for (i = kBlocks; i-- > 0;) shmem_free(block[i]);
  return check_end();
}
