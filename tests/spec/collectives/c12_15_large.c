/* Point 12.15: buffers of more than 2 GiB and more than INT_MAX elements, and offsets beyond 2 GiB within them. Runs
 * when the machine has the memory, and says so when it has not. 2 PEs, SHMEM_SYMMETRIC_SIZE of 6 GiB; a minute of page
 * faults on some machines, so only what treats counts and offsets differently: a shared-out reduction, blocks, strides.
 */
#include "check.h"

#include <limits.h>

#define GIB ((size_t)1 << 30)

/* ThreadSanitizer keeps four bytes for each byte that is accessed. */
#if defined(__SANITIZE_THREAD__)
enum { kBytesForAByte = 5 };
#else
enum { kBytesForAByte = 1 };
#endif
static const size_t kBig = (size_t)INT_MAX + 4099;

static size_t free_memory(void) {
  FILE* const f = fopen("/proc/meminfo", "r");
  char line[200];
  size_t kib = 0;
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %zu kB", &kib) == 1) break;
  if (f) fclose(f);
  return kib * 1024;
}

/* Few values are compared, those where a number of 31 or 32 bits would go wrong among them. */
static const size_t kLook[] = {0, 1, (size_t)INT_MAX - 1, (size_t)INT_MAX, (size_t)INT_MAX + 1, (size_t)INT_MAX + 4098};
enum { kLooks = sizeof kLook / sizeof kLook[0] };

static signed char value(int pe, size_t i) { return (signed char)((i * 31 + (i >> 31) * 5) % 40 + (size_t)pe); }

static void put_values(signed char* at) {
  for (int k = 0; k < kLooks; ++k) at[kLook[k]] = value(check_me, kLook[k]);
}

static void reduce(signed char* dest, signed char* source) {
  (void)dest; /* in place: half the memory */
  put_values(source);
  CHECK_EQ(shmem_schar_max_reduce(SHMEM_TEAM_WORLD, source, source, kBig), 0, "max_reduce");
  for (int k = 0; k < kLooks; ++k) CHECK_EQ(source[kLook[k]], value(check_n - 1, kLook[k]), "max at %zu", kLook[k]);
}

static void fcollect(signed char* dest, signed char* source) {
  const size_t each = kBig / (size_t)check_n;
  source[each - 1] = (signed char)(check_me + 1);
  CHECK_EQ(shmem_schar_fcollect(SHMEM_TEAM_WORLD, dest, source, each), 0, "fcollect");
  for (int pe = 0; pe < check_n; ++pe) CHECK_EQ(dest[(size_t)(pe + 1) * each - 1], pe + 1, "end of block %d", pe);
}

/* Elements more than 2 GiB apart: only a few pages are touched. */
static void alltoalls(signed char* dest, signed char* source) {
  const ptrdiff_t apart = (ptrdiff_t)((kBig - 1) / (size_t)(check_n - 1));
  for (int pe = 0; pe < check_n; ++pe) source[pe * apart] = (signed char)(10 * check_me + pe);
  shmem_barrier_all();
  CHECK_EQ(shmem_schar_alltoalls(SHMEM_TEAM_WORLD, dest, source, apart, apart, 1), 0, "alltoalls");
  for (int pe = 0; pe < check_n; ++pe) CHECK_EQ(dest[pe * apart], 10 * pe + check_me, "block of %d", pe);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(signed char* dest, signed char* source);
  } all[] = {{"reduce", reduce}, {"fcollect", fcollect}, {"alltoalls", alltoalls}};
  static long enough;
  signed char *source, *dest;
  check_begin();
  source = shmem_align(4096, kBig + 4096);
  dest = shmem_align(4096, kBig + 4096);
  REQUIRE(argc == 2 && source && dest, "no operation, or no room in the heap");
  enough = free_memory() >= kBytesForAByte * (size_t)check_n * (2 * kBig + GIB) + 2 * GIB;
  shmem_barrier_all();
  if (shmem_long_g(&enough, 0)) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
      if (strcmp(all[i].name, argv[1]) == 0) all[i].run(dest, source);
  } else if (check_me == 0) {
    check_line("skipped: not enough memory for calls of more than 2 GiB");
  }
  shmem_barrier_all();
  return check_end();
}
