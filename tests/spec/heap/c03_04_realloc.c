/* 3.4 realloc: of NULL it is malloc, to 0 it is free; contents stay up to the smaller size; a refusal leaves the block
 * alone on every PE. */
#include "../check.h"

static void peers_agree(unsigned char* p, size_t n, int tag, const char* what) {
  static unsigned char got[300000];
  const int to = check_right(1);
  size_t wrong = check_find_wrong(p, check_me * 10 + tag, n);
  CHECK(wrong == n, "%s: own byte %zu of %zu", what, wrong, n);
  shmem_barrier_all();
  shmem_getmem(got, p, n, to);
  wrong = check_find_wrong(got, to * 10 + tag, n);
  CHECK(wrong == n, "%s: byte %zu of %zu on PE %d: the blocks are not at the same place", what, wrong, n, to);
  shmem_barrier_all();
}

int main(void) {
  static const size_t sizes[] = {1, 17, 16, 100, 99, 4096, 4097, 5000, 100000, 64, 299999, 8, 65536, 65535, 3};
  unsigned char *p, *q, *wall;
  size_t have, k;
  check_begin();

  STEP("realloc of NULL");
  p = (unsigned char*)shmem_realloc(NULL, 1000);
  REQUIRE(p != NULL, "realloc(NULL, 1000)");
  CHECK(shmem_addr_accessible(p, check_right(1)) == 1, "it is in the symmetric heap");
  check_fill(p, check_me * 10 + 1, 1000);
  peers_agree(p, 1000, 1, "fresh");
  have = 1000;
  for (k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
    const size_t keep = have < sizes[k] ? have : sizes[k];
    /* every third time something lies directly behind, so that it cannot grow in place */
    wall = k % 3 == 0 ? (unsigned char*)shmem_malloc(64) : NULL;
    STEP("realloc to another size");
    p = (unsigned char*)shmem_realloc(p, sizes[k]);
    REQUIRE(p != NULL, "realloc from %zu to %zu", have, sizes[k]);
    CHECK_EQ((uintptr_t)p % 16, 0, "alignment after realloc");
    peers_agree(p, keep, 1, "kept");
    have = sizes[k];
    shmem_barrier_all();
    check_fill(p, check_me * 10 + 1, have);
    peers_agree(p, have, 1, "filled");
    shmem_free(wall);
  }

  STEP("realloc with hints");
  q = (unsigned char*)shmem_malloc_with_hints(100, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE);
  REQUIRE(q != NULL, "malloc_with_hints");
  check_fill(q, check_me * 10 + 2, 100);
  q = (unsigned char*)shmem_realloc(q, 9000);
  REQUIRE(q != NULL, "realloc of a block with hints: NULL is allowed, but there is room");
  peers_agree(q, 100, 2, "with hints");
  shmem_free(q);

  STEP("realloc of an aligned block");
  q = (unsigned char*)shmem_align(8192, 100);
  REQUIRE(q != NULL, "align");
  check_fill(q, check_me * 10 + 3, 100);
  q = (unsigned char*)shmem_realloc(q, 50000);
  REQUIRE(q != NULL, "realloc of an aligned block");
  peers_agree(q, 100, 3, "aligned"); /* its alignment may be gone, its contents not */

  STEP("a realloc that cannot be");
  check_fill(q, check_me * 10 + 4, 50000);
  CHECK(shmem_realloc(q, (size_t)1 << 42) == NULL, "realloc to 4 TiB");
  peers_agree(q, 50000, 4, "after a refusal");
  CHECK(shmem_realloc(q, SIZE_MAX) == NULL, "realloc to SIZE_MAX");
  peers_agree(q, 50000, 4, "after a second refusal");

  STEP("realloc to 0");
  CHECK(shmem_realloc(p, 0) == NULL, "realloc(p, 0)");
  CHECK(shmem_realloc(q, 0) == NULL, "realloc(q, 0)");
  /* both were really freed: 15 of 16 MiB are to be had */
  p = (unsigned char*)shmem_malloc((size_t)15 << 20);
  CHECK(p != NULL, "realloc(p, 0) does not free");
  shmem_free(p);

  /* realloc(p, 0) waits for all like free does */
  {
    static long arrived;
    p = (unsigned char*)shmem_malloc(64);
    if (check_me == check_n - 1) check_sleep_ms(50);
    shmem_long_atomic_inc(&arrived, 0);
    p = (unsigned char*)shmem_realloc(p, 0);
    CHECK_EQ(shmem_long_atomic_fetch(&arrived, 0), check_n, "realloc(p, 0) returned before all had called it");
  }
  return check_end();
}
