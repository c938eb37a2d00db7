/* 3.11 The heap holds at least the bytes that SHMEM_SYMMETRIC_SIZE asked for: one block of exactly that size fits. The
 * argument is that number; every byte of the block (or, when large, of its ends) belongs to it on every PE. */
#include "../check.h"

int main(int argc, char** argv) {
  const size_t size = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : (size_t)512 << 20;
  const size_t part = size < 100000 ? size : 100000;
  unsigned char* p;
  size_t wrong;
  int round;
  check_begin();
  for (round = 0; round < 2; ++round) {
    p = (unsigned char*)shmem_malloc(size);
    REQUIRE(p != NULL, "one block of all %zu bytes, round %d", size, round);
    shmem_barrier_all();
    {
      static unsigned char pattern[100000];
      check_fill(pattern, check_me, part);
      shmem_putmem(p + size - part, pattern, part, check_right(1));
      shmem_barrier_all();
      wrong = check_find_wrong(p + size - part, check_right(-1), part);
      CHECK(wrong == part, "last part, byte %zu", wrong);
      shmem_barrier_all();
      shmem_putmem(p, pattern, part, check_right(1));
      shmem_barrier_all();
      wrong = check_find_wrong(p, check_right(-1), part);
      CHECK(wrong == part, "first part, byte %zu", wrong);
    }
    CHECK_EQ(shmem_addr_accessible(p + size - 1, check_right(1)), 1, "the last byte");
    shmem_free(p);
  }
  return check_end();
}
