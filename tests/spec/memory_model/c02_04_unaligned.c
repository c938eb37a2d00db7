/* 2.4 putmem and getmem need no alignment: every offset of target and source within two words, every length up to a few
 * cache lines and some odd long ones; not one byte around the target changes. Typed calls need natural alignment only:
 * a double at an address that is 8 but not 16 bytes aligned, a 16-byte element at 16. */
#include "../check.h"

enum { kRoom = 70000, kGuard = 0xA5 };
static unsigned char in_static[kRoom];
static unsigned char source[kRoom + 64];

static void check_target(const unsigned char* at, size_t offset, size_t n, int from, int source_offset) {
  size_t i;
  for (i = 0; i < offset; ++i)
    if (at[i] != kGuard) break;
  CHECK(i == offset, "byte %zu before a target at %zu changed", i, offset);
  for (i = 0; i < n; ++i)
    if (at[offset + i] != check_byte(from, i + (size_t)source_offset)) break;
  CHECK(i == n, "byte %zu of %zu at offset %zu from source offset %d", i, n, offset, source_offset);
  for (i = offset + n; i < offset + n + 64 && i < kRoom; ++i)
    if (at[i] != kGuard) break;
  CHECK(i == offset + n + 64 || i == kRoom, "byte %zu after a target of %zu at %zu changed", i, n, offset);
}

static void putmem_once(unsigned char* at, size_t offset, size_t source_offset, size_t n) {
  static unsigned char got[kRoom];
  const int to = check_right(1);
  size_t i;
  memset(at, kGuard, offset + n + 64 < kRoom ? offset + n + 64 : kRoom);
  shmem_barrier_all();
  shmem_putmem(at + offset, source + source_offset, n, to);
  shmem_barrier_all();
  check_target(at, offset, n, check_right(-1), (int)source_offset);
  memset(got, 0, n + 16);
  shmem_getmem(got + source_offset % 16, at + offset, n, to);
  for (i = 0; i < n; ++i)
    if (got[source_offset % 16 + i] != check_byte(check_me, i + source_offset)) break;
  CHECK(i == n, "get: byte %zu of %zu from offset %zu", i, n, offset);
  CHECK(got[source_offset % 16 + n] == 0, "get wrote past its %zu bytes", n);
  shmem_barrier_all();
}

static void all(unsigned char* at) {
  static const size_t lengths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129, 255, 257};
  static const size_t longs[] = {1023, 2047, 2049, 4095, 4097, 8191, 8193, 65535, 65537};
  size_t l;
  int k;
  for (l = 0; l < sizeof lengths / sizeof lengths[0]; ++l)
    for (k = 0; k < 4; ++k)
      putmem_once(at, (size_t)(l * 5 + (size_t)k * 3) % 16 + (size_t)k, (l + (size_t)k * 7) % 16, lengths[l]);
  for (l = 0; l < sizeof longs / sizeof longs[0]; ++l) putmem_once(at, 2 * l + 1, (3 * l) % 16, longs[l]);
}

/* Every offset of target and source, without a barrier for each: the left neighbour's bytes land in slots of 64. */
static void grid(unsigned char* at) {
  const int to = check_right(1), from = check_right(-1);
  int n, t, s;
  for (n = 1; n <= 24; n += (n < 9 ? 1 : 5)) {
    memset(at, kGuard, 256 * 64);
    shmem_barrier_all();
    for (t = 0; t < 16; ++t)
      for (s = 0; s < 16; ++s) shmem_putmem(at + (t * 16 + s) * 64 + 8 + t, source + s, (size_t)n, to);
    shmem_barrier_all();
    for (t = 0; t < 16; ++t)
      for (s = 0; s < 16; ++s) {
        const unsigned char* slot = at + (t * 16 + s) * 64;
        int i;
        for (i = 0; i < 64; ++i) {
          const int in = i >= 8 + t && i < 8 + t + n;
          if (slot[i] != (in ? check_byte(from, (size_t)(i - 8 - t + s)) : kGuard)) break;
        }
        CHECK(i == 64, "length %d, target +%d, source +%d: byte %d", n, t, s, i);
      }
    shmem_barrier_all();
  }
}

static void natural(unsigned char* base) {
  const int to = check_right(1), from = check_right(-1);
  double* d = (double*)(void*)(base + 8);
  unsigned char sixteen[32] __attribute__((aligned(16)));
  memset(base, 0, 128);
  check_fill(sixteen, check_me, 32);
  shmem_barrier_all();
  shmem_double_p(d, 2.5 + check_me, to);
  shmem_short_p((short*)(void*)(base + 18), (short)check_me, to);
  shmem_int_p((int*)(void*)(base + 20), 5 + check_me, to);
  shmem_put128(base + 48, sixteen, 2, to);
  shmem_put8(base + 33, sixteen, 3, to);
  shmem_put16(base + 38, sixteen, 1, to);
  shmem_barrier_all();
  CHECK(*d == 2.5 + from, "double at 8 mod 16");
  CHECK_EQ(*(short*)(void*)(base + 18), from, "short at 2 mod 4");
  CHECK_EQ(*(int*)(void*)(base + 20), 5 + from, "int at 4 mod 8");
  CHECK_EQ(check_find_wrong(base + 48, from, 32), 32, "two elements of 16 bytes");
  CHECK_EQ(check_find_wrong(base + 33, from, 3), 3, "three bytes");
  CHECK_EQ(check_find_wrong(base + 38, from, 2), 2, "one element of 2 bytes");
  shmem_barrier_all();
}

int main(void) {
  unsigned char* heap;
  check_begin();
  check_fill(source, check_me, sizeof source);
  heap = (unsigned char*)shmem_malloc(kRoom);
  REQUIRE(heap != NULL, "shmem_malloc");
  all(in_static);
  all(heap);
  grid(in_static + 1);
  grid(heap + 3);
  natural(heap);
  shmem_free(heap);
  return check_end();
}
