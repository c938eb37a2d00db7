/* Point 8.1 (and 2.4): operations that end where the heap does, and where static data do: every length up to 40 bytes
 * and around 2 KiB, and words of every size. What tests an address and a length in one step may be wrong just there. */
#include "check.h"

enum { kMost = 2060, kWords = 4, kGuardByte = 0x5A };

static unsigned char g_bytes[kMost];
static long g_words[kWords];

/* The end of the largest block that the heap has: its own. */
static unsigned char* end_of_heap(void) {
  size_t most = kMost, too_many = (size_t)1 << 40;
  while (most + 1 < too_many) {
    const size_t bytes = most + (too_many - most) / 2;
    void* const block = shmem_malloc(bytes);
    if (block != NULL)
      most = bytes;
    else
      too_many = bytes;
    shmem_free(block);
  }
  unsigned char* const block = shmem_malloc(most);
  REQUIRE(block != NULL, "no block of %zu bytes, of which there was one", most);
  return block + most;
}

/* The last `bytes` of what ends there, or its first. */
static void copies(unsigned char* begin, unsigned char* end, size_t bytes, const char* where) {
  const int to = check_right(1), from = check_right(-1);
  unsigned char source[kMost], back[kMost];
  for (int last = 0; last < 2; ++last) {
    unsigned char* const at = last ? end - bytes : begin;
    memset(begin, kGuardByte, (size_t)(end - begin));
    check_fill(source, check_me, bytes);
    shmem_barrier_all();
    if (bytes % 2)
      shmem_putmem(at, source, bytes, to);
    else
      shmem_putmem_nbi(at, source, bytes, to);
    memset(back, kGuardByte, sizeof back);
    shmem_barrier_all();
    CHECK_EQ(check_find_wrong(at, from, bytes), bytes, "put of %zu bytes at %s", bytes, where);
    for (unsigned char* k = begin; k < end; ++k)
      if ((k < at || k >= at + bytes) && *k != kGuardByte) {
        CHECK_EQ(*k, kGuardByte, "put of %zu bytes at %s wrote beside its target", bytes, where);
        break;
      }
    shmem_getmem(back, at, bytes, to);
    CHECK_EQ(check_find_wrong(back, check_me, bytes), bytes, "get of %zu bytes at %s", bytes, where);
    for (size_t k = bytes; k < kMost; ++k)
      if (back[k] != kGuardByte) {
        CHECK_EQ(back[k], kGuardByte, "get of %zu bytes at %s wrote behind its target", bytes, where);
        break;
      }
    shmem_barrier_all();
  }
}

static void words(long* at, const char* where) {
  const int to = check_right(1), from = check_right(-1);
  char* const bytes = (char*)at;
  *at = 0;
  shmem_barrier_all();
  shmem_char_p(&bytes[sizeof *at - 1], (char)check_me, to);
  shmem_barrier_all();
  CHECK_EQ(bytes[sizeof *at - 1], (char)from, "a byte, %s", where);
  CHECK_EQ(shmem_char_g(&bytes[sizeof *at - 1], to), (char)check_me, "a byte back, %s", where);
  shmem_barrier_all();
  shmem_long_p(at, 100L + check_me, to);
  shmem_barrier_all();
  CHECK_EQ(*at, 100L + from, "a long, %s", where);
  CHECK_EQ(shmem_long_g(at, to), 100L + check_me, "a long back, %s", where);
  shmem_barrier_all();
  CHECK_EQ(shmem_long_atomic_fetch_add(at, 5, to), 100L + check_me, "fetch-add, %s", where);
  shmem_long_atomic_inc(at, to);
  CHECK_EQ(shmem_long_atomic_fetch(at, to), 106L + check_me, "what was added, %s", where);
  shmem_barrier_all();
}

static void all_of(unsigned char* begin, unsigned char* end, const char* where) {
  for (size_t bytes = 0; bytes <= 40; ++bytes) copies(begin, end, bytes, where);
  for (size_t bytes = 2040; bytes <= kMost; ++bytes) copies(begin, end, bytes, where);
}

int main(void) {
  unsigned char* end;
  check_begin();
  end = end_of_heap();
  all_of(end - kMost, end, "the heap's end");
  all_of(g_bytes, g_bytes + kMost, "static data");
  words((long*)(void*)(end - sizeof(long)), "at the heap's end");
  for (int k = 0; k < kWords; ++k) words(&g_words[k], "of static data");
  return check_end();
}
