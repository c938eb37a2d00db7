/* 2.8 Overlapping arguments are undefined except for exact in-place use; a put or get to oneself over itself must not
 * crash, hang or touch anything else, and the exactly identical buffer keeps its contents. */
#include "../check.h"

enum { kGuard = 0x77, kRoom = 9000 };
static unsigned char in_static[kRoom];

static void overlap(unsigned char* at, int shift, size_t n) {
  size_t i;
  unsigned char* to = at + 200 + (shift > 0 ? shift : 0);
  unsigned char* from = at + 200 + (shift < 0 ? -shift : 0);
  const size_t end = 200 + n + (size_t)(shift < 0 ? -shift : shift);
  memset(at, kGuard, kRoom);
  check_fill(at + 200, 3, end - 200);
  shmem_putmem(to, from, n, check_me);
  shmem_quiet();
  if (shift == 0) CHECK(check_find_wrong(at + 200, 3, n) == n, "a put of a buffer onto itself changed it");
  shmem_getmem(to, from, n, check_me);
  shmem_putmem_nbi(to, from, n, check_me);
  shmem_quiet();
  if (shift == 0) CHECK(check_find_wrong(at + 200, 3, n) == n, "a get of a buffer onto itself changed it");
  for (i = 0; i < kRoom; ++i)
    if ((i < 200 || i >= end) && at[i] != kGuard) break;
  CHECK(i == kRoom, "byte %zu outside of %zu shifted by %d changed", i, n, shift);
}

#if defined(__SANITIZE_ADDRESS__)
enum { kStep = 1000 }; /* AddressSanitizer stops overlapping copies, which is its job: exact in-place use only */
#else
enum { kStep = 13 };
#endif

int main(void) {
  static const size_t lengths[] = {1, 8, 9, 64, 100, 4096, 7777};
  size_t l;
  unsigned char* heap;
  check_begin();
  heap = (unsigned char*)shmem_malloc(kRoom);
  REQUIRE(heap != NULL, "shmem_malloc");
  for (l = 0; l < sizeof lengths / sizeof lengths[0]; ++l) {
    int shift;
    for (shift = kStep > 65 ? 0 : -65; shift <= 65; shift += kStep) {
      overlap(in_static, shift, lengths[l]);
      overlap(heap, shift, lengths[l]);
    }
  }
  shmem_free(heap);
  return check_end();
}
