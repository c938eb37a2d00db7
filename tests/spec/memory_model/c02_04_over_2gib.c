/* 2.4, 8.5 Lengths are size_t: a put of more than 2 GiB and more than INT_MAX elements, offsets past 2 GiB. The heap is
 * sparse and the source untouched but for its marks, so this costs the memory of one target. */
#include "../check.h"

#include <sys/mman.h>

int main(void) {
  const size_t n = ((size_t)1 << 31) + (1 << 20) + 3;
  const size_t marks[] = {0, 4095, ((size_t)1 << 30) + 1, ((size_t)1 << 31) - 1, (size_t)1 << 31, n - 1};
  const size_t many = sizeof marks / sizeof marks[0];
  size_t i;
  char *block, *source;
  long* words;
  const long pair[2] = {71, 72};
  check_begin();
  block = (char*)shmem_malloc(n + 64);
  REQUIRE(block != NULL, "%zu bytes of a heap of 2200M", n + 64);
  source = (char*)mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(source != MAP_FAILED, "mmap");
  for (i = 0; i < many; ++i) source[marks[i]] = (char)(20 + i);
  if (check_me == check_n - 1) block[n] = 99;
  shmem_barrier_all();
  STEP("a put of more than 2 GiB");
  if (check_me == 0) shmem_char_put(block, source, n, check_n - 1);
  shmem_barrier_all();
  if (check_me == check_n - 1) {
    for (i = 0; i < many; ++i) CHECK_EQ(block[marks[i]], 20 + (int)i, "mark at %zu", marks[i]);
    CHECK_EQ(block[12345678], 0, "a byte between the marks");
    CHECK_EQ(block[n], 99, "the byte after the target");
  }
  shmem_barrier_all();
  STEP("offsets past 2 GiB");
  CHECK_EQ(shmem_char_g(&block[n - 1], check_n - 1), 20 + (int)many - 1, "get past 2 GiB");
  words = (long*)(void*)block;
  /* a stride of more than 2 GiB in bytes */
  if (check_me == 0) shmem_long_iput(words, pair, (ptrdiff_t)1 << 28, 1, 2, check_n - 1);
  shmem_barrier_all();
  if (check_me == check_n - 1) {
    CHECK_EQ(words[0], 71, "iput, first");
    CHECK_EQ(words[(size_t)1 << 28], 72, "iput, one stride of 2 GiB further");
  }
  munmap(source, n);
  shmem_free(block);
  return check_end();
}
