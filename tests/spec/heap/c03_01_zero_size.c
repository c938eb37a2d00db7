/* 3.1 Requests of zero bytes return NULL and are no barrier; 3.3 free(NULL) does nothing and is no barrier. Proof: only
 * PE 0 makes these calls while the others wait for it, so any barrier in one of them would never end. */
#include "../check.h"

static long done;

int main(void) {
  int pe, i;
  long* block;
  check_begin();
  block = (long*)shmem_malloc(sizeof(long));
  REQUIRE(block != NULL, "shmem_malloc");
  *block = 5;
  shmem_barrier_all();
  if (check_me == 0) {
    for (i = 0; i < 10; ++i) {
      STEP("shmem_malloc(0)");
      CHECK(shmem_malloc(0) == NULL, "shmem_malloc(0)");
      STEP("shmem_malloc_with_hints(0)");
      CHECK(shmem_malloc_with_hints(0, 0) == NULL, "malloc_with_hints(0, 0)");
      CHECK(shmem_malloc_with_hints(0, SHMEM_MALLOC_ATOMICS_REMOTE) == NULL, "malloc_with_hints(0, hint)");
      STEP("shmem_align(.., 0)");
      CHECK(shmem_align(64, 0) == NULL, "align(64, 0)");
      CHECK(shmem_align(sizeof(void*), 0) == NULL, "align(8, 0)");
      STEP("shmem_calloc with a zero");
      CHECK(shmem_calloc(0, 8) == NULL, "calloc(0, 8)");
      CHECK(shmem_calloc(8, 0) == NULL, "calloc(8, 0)");
      CHECK(shmem_calloc(0, 0) == NULL, "calloc(0, 0)");
      STEP("shmem_free(NULL)");
      shmem_free(NULL);
      STEP("shmem_realloc(NULL, 0)");
      CHECK(shmem_realloc(NULL, 0) == NULL, "realloc(NULL, 0) is malloc(0)");
      STEP("shmalloc(0)");
      CHECK(shmalloc(0) == NULL, "shmalloc(0)");
      shfree(NULL);
    }
    for (pe = 0; pe < check_n; ++pe) shmem_long_p(&done, 1, pe);
  }
  STEP("PE 0's calls without a barrier");
  shmem_long_wait_until(&done, SHMEM_CMP_EQ, 1);
  CHECK_EQ(*block, 5, "blocks that exist");
  /* and the heap is in step afterwards: the same call gives the same place everywhere */
  {
    long* next = (long*)shmem_malloc(8 * sizeof(long));
    REQUIRE(next != NULL, "shmem_malloc");
    next[3] = -1;
    shmem_barrier_all();
    shmem_long_p(&next[3], 100 + check_me, check_right(1));
    shmem_barrier_all();
    CHECK_EQ(next[3], 100 + check_right(-1), "heap after calls of one PE only");
    shmem_free(next);
  }
  shmem_free(block);
  return check_end();
}
