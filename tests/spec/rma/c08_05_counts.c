/* Point 8.5: counts and strides are wide. Offsets beyond 2 and 4 GiB come from strides over a sparse heap, so that only
 * a few pages are touched; a put and a get of more than INT_MAX elements run when the machine has the memory.
 * Needs SHMEM_SYMMETRIC_SIZE of 10 GiB (address space, not memory); runs on 1 PE, and the strides also on 2. */
#include "check.h"

#include <limits.h>
#include <sys/mman.h>

#define GIB ((size_t)1 << 30)
static const size_t kBig = (size_t)INT_MAX + 4099;

static void strides(long* room) {
  const int to = check_right(1), from = check_right(-1);
  const ptrdiff_t apart = (ptrdiff_t)(3 * GIB / sizeof(long)); /* 3 GiB between two elements */
  long source[3], seen[3] = {0, 0, 0};
  for (int i = 0; i < 3; ++i) source[i] = check_me * 100 + i + 1;
  shmem_barrier_all();
  shmem_long_iput(room, source, apart, 1, 3, to);
  shmem_barrier_all();
  for (int i = 0; i < 3; ++i) CHECK_EQ(room[i * apart], from * 100 + i + 1, "iput over %d * 3 GiB", i);
  shmem_long_iget(seen, room, 1, apart, 3, to);
  for (int i = 0; i < 3; ++i) CHECK_EQ(seen[i], check_me * 100 + i + 1, "iget over %d * 3 GiB", i);
  shmem_barrier_all();
  for (int i = 0; i < 3; ++i) source[i] += 50;
  shmem_long_ibput(room + 1, source, apart, 1, 1, 3, to);
  shmem_barrier_all();
  for (int i = 0; i < 3; ++i) CHECK_EQ(room[1 + i * apart], from * 100 + i + 51, "ibput over %d * 3 GiB", i);
  shmem_long_ibget(seen, room + 1, 1, apart, 1, 3, to);
  for (int i = 0; i < 3; ++i) CHECK_EQ(seen[i], check_me * 100 + i + 51, "ibget over %d * 3 GiB", i);
  shmem_long_p(room + 2 * apart + 2, check_me + 7, to);
  shmem_barrier_all();
  CHECK_EQ(room[2 * apart + 2], from + 7, "p at 6 GiB");
  CHECK_EQ(shmem_long_g(room + 2 * apart + 2, to), check_me + 7, "g at 6 GiB");
}

static size_t free_memory(void) {
  FILE* const f = fopen("/proc/meminfo", "r");
  char line[200];
  size_t kib = 0;
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %zu", &kib) == 1) break;
  if (f) fclose(f);
  return kib * 1024;
}

/* `total` bytes of addresses on one small piece of memory, again and again: a long source or target that costs little.
 */
static unsigned char* folded(size_t total, size_t piece) {
  FILE* const f = tmpfile();
  unsigned char* const at = mmap(NULL, total + piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!f || at == MAP_FAILED || ftruncate(fileno(f), (off_t)piece) != 0) return NULL;
  for (size_t o = 0; o < total; o += piece)
    if (mmap(at + o, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fileno(f), 0) == MAP_FAILED) return NULL;
  fclose(f);
  return at;
}

static void more_than_int_max(char* room) {
  const size_t piece = (size_t)1 << 22;
  unsigned char* const source = folded(kBig, piece);
  REQUIRE(source != NULL, "cannot map the source");
  for (size_t i = 0; i < piece; ++i) source[i] = (unsigned char)(i * 7 + i / 256 + 1);
  STEP("put of more than INT_MAX elements");
  room[kBig] = 77;
  shmem_char_put(room, (const char*)source, kBig, check_me);
  shmem_quiet();
  CHECK_EQ(room[kBig], 77, "the byte behind");
  for (size_t at = 0; at < kBig; at += piece) {
    const size_t n = kBig - at < piece ? kBig - at : piece;
    CHECK(memcmp(room + at, source, n) == 0, "put of %zu elements: wrong behind byte %zu", kBig, at);
  }
  STEP("get of more than INT_MAX elements");
  /* every piece of the target falls on the same memory: what stays is the last piece and the tail of the one before */
  for (size_t i = 0; i < kBig % piece; ++i) room[kBig - kBig % piece + i] = (char)(i * 3 + 5);
  shmem_getmem(source, room, kBig, check_me);
  for (size_t i = 0; i < kBig % piece; ++i)
    if (source[i] != (unsigned char)(i * 3 + 5)) {
      CHECK(0, "get of %zu bytes: byte %zu of the end is wrong", kBig, i);
      break;
    }
}

int main(void) {
  check_begin();
  STEP("strides");
  long* const room = shmem_malloc(9 * GIB);
  REQUIRE(room != NULL, "shmem_malloc of 9 GiB: is SHMEM_SYMMETRIC_SIZE=10G set?");
  strides(room);
  shmem_barrier_all();
  if (check_n == 1) {
    if (free_memory() > 5 * GIB)
      more_than_int_max((char*)room);
    else
      check_line("less than 5 GiB free: the copy of more than INT_MAX elements is left out");
  }
  shmem_free(room);
  return check_end();
}
