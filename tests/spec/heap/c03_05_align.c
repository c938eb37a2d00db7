/* 3.5 shmem_align: the result is a multiple of the alignment on EVERY PE, up to 1 MiB and beyond, and the blocks of all
 * PEs are the same object. 3.6 shmem_malloc aligns for any type. */
#include "../check.h"

static long failures_on[64];

int main(void) {
  size_t alignment, size;
  int pe;
  long* plain;
  check_begin();
  REQUIRE(check_n <= 64, "%d PEs", check_n);
  for (alignment = sizeof(void*); alignment <= (size_t)16 << 20; alignment *= 2) {
    for (size = 1; size <= 5001; size += 2500) {
      unsigned char* odd = (unsigned char*)shmem_malloc(24 + size); /* so that the next is not aligned by luck */
      unsigned char* p = (unsigned char*)shmem_align(alignment, size);
      unsigned char* q = (unsigned char*)shmem_align(alignment, size);
      static unsigned char got[5001];
      size_t wrong;
      REQUIRE(odd && p && q, "align(%zu, %zu) in a heap of 128 MiB", alignment, size);
      CHECK_EQ((uintptr_t)p % alignment, 0, "align(%zu, %zu)", alignment, size);
      CHECK_EQ((uintptr_t)q % alignment, 0, "align(%zu, %zu), the second", alignment, size);
      CHECK(p + size <= q || q + size <= p, "blocks overlap");
      check_fill(p, check_me + 30, size);
      check_fill(q, check_me + 60, size);
      check_fill(odd, check_me + 90, 24 + size);
      shmem_barrier_all();
      shmem_getmem(got, p, size, check_right(1));
      wrong = check_find_wrong(got, check_right(1) + 30, size);
      CHECK(wrong == size, "align(%zu, %zu): byte %zu of the neighbour: not the same object", alignment, size, wrong);
      shmem_getmem(got, q, size, check_right(1));
      CHECK(check_find_wrong(got, check_right(1) + 60, size) == size, "align(%zu, %zu): second block", alignment, size);
      CHECK(check_find_wrong(odd, check_me + 90, 24 + size) == 24 + size, "the block before an aligned one");
      shmem_barrier_all();
      shmem_free(p);
      shmem_free(odd);
      shmem_free(q);
    }
  }
  /* 3.6: every size from 1 on */
  for (size = 1; size < 300; ++size) {
    void* p = shmem_malloc(size);
    REQUIRE(p != NULL, "shmem_malloc(%zu)", size);
    CHECK_EQ((uintptr_t)p % 16, 0, "shmem_malloc(%zu) for long double and _Complex", size);
    if (size % 3 == 0) {
      p = shmem_realloc(p, size + 1);
      CHECK_EQ((uintptr_t)p % 16, 0, "shmem_realloc");
    }
    shmem_free(p);
    p = shmem_calloc(size, 3);
    CHECK_EQ((uintptr_t)p % 16, 0, "shmem_calloc(%zu, 3)", size);
    shmem_free(p);
  }
  plain = (long*)shmem_malloc(sizeof(long));
  shmem_free(plain);
  /* what every PE saw, not only this one */
  for (pe = 0; pe < check_n; ++pe) shmem_long_p(&failures_on[check_me], check_failures, pe);
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) CHECK_EQ(failures_on[pe], 0, "failures on PE %d", pe);
  return check_end();
}
