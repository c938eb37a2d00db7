/* 3.7 shmem_calloc zeroes the memory of all PEs before any PE leaves it, memory that was used before included. */
#include "../check.h"

enum { kBytes = 70001 };

int main(void) {
  static unsigned char got[kBytes];
  int round, i;
  check_begin();
  for (round = 0; round < 15; ++round) {
    const int to = check_right(1 + round % 3);
    unsigned char *dirty = (unsigned char*)shmem_malloc(kBytes), *clean;
    REQUIRE(dirty != NULL, "shmem_malloc");
    memset(dirty, 0xFF, kBytes);
    shmem_barrier_all();
    shmem_putmem(dirty, dirty + 2000, 1000, to);
    shmem_free(dirty);
    if (check_me == round % check_n) check_sleep_ms(2);
    clean = (unsigned char*)shmem_calloc(round % 2 ? kBytes : 1, round % 2 ? 1 : kBytes);
    REQUIRE(clean != NULL, "shmem_calloc");
    /* at once, without a barrier of our own: the peer's memory must be zero, and what we write there must stay */
    shmem_getmem(got, clean, kBytes, to);
    for (i = 0; i < kBytes; ++i)
      if (got[i] && i != kBytes - 1) break;
    CHECK(i == kBytes, "byte %d of PE %d is %d after calloc, round %d", i, to, got[i < kBytes ? i : 0], round);
    shmem_uchar_p(&clean[kBytes - 1], (unsigned char)(check_me + 1), to);
    shmem_barrier_all();
    CHECK_EQ(clean[kBytes - 1], check_right(-1 - round % 3) + 1, "a put right after calloc was overwritten");
    shmem_free(clean);
  }
  {
    long* words = (long*)shmem_calloc(1000, sizeof(long));
    REQUIRE(words != NULL, "calloc(1000, 8)");
    CHECK_EQ(words[0] | words[999], 0, "first and last element");
    words[999] = 1; /* all of count times size is there */
    shmem_free(words);
  }
  return check_end();
}
