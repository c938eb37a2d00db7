/* 2.6 The local side may be any memory: stack, const, read-only and shared mappings, malloc, a file mapping; so may be
 * the fetch of a nonblocking AMO, and the index, status and value arrays of wait and test. */
#include "../check.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { kBytes = 20000 };
static unsigned char target[kBytes];
static long flags[8];
static const unsigned char constants[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void put_from(const void* source, size_t n, const char* name) {
  size_t wrong;
  memset(target, 0, sizeof target);
  shmem_barrier_all();
  shmem_putmem(target, source, n, check_right(1));
  shmem_barrier_all();
  wrong = check_find_wrong(target, check_right(-1), n);
  CHECK(wrong == n, "put from %s: byte %zu", name, wrong);
  shmem_barrier_all();
  memset(target, 0, sizeof target);
  shmem_barrier_all();
  shmem_putmem_nbi(target, source, n, check_right(1));
  shmem_barrier_all();
  wrong = check_find_wrong(target, check_right(-1), n);
  CHECK(wrong == n, "put_nbi from %s: byte %zu", name, wrong);
}

static void get_into(void* dest, size_t n, const char* name) {
  size_t wrong;
  check_fill(target, check_me, sizeof target);
  shmem_barrier_all();
  shmem_getmem(dest, target, n, check_right(1));
  wrong = check_find_wrong(dest, check_right(1), n);
  CHECK(wrong == n, "get into %s: byte %zu", name, wrong);
  memset(dest, 0, n);
  shmem_getmem_nbi(dest, target, n, check_right(1));
  shmem_quiet();
  wrong = check_find_wrong(dest, check_right(1), n);
  CHECK(wrong == n, "get_nbi into %s: byte %zu", name, wrong);
  shmem_barrier_all();
}

static void buffers(void) {
  unsigned char on_stack[kBytes];
  unsigned char* heap = (unsigned char*)malloc(kBytes + 1);
  unsigned char* anonymous =
      (unsigned char*)mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char* shared = (unsigned char*)mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned char* file;
  FILE* f = tmpfile();
  REQUIRE(heap && anonymous != MAP_FAILED && shared != MAP_FAILED && f, "memory");
  REQUIRE(ftruncate(fileno(f), kBytes) == 0, "ftruncate");
  file = (unsigned char*)mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
  REQUIRE(file != MAP_FAILED, "mmap of a file");
  check_fill(on_stack, check_me, kBytes);
  check_fill(heap + 1, check_me, kBytes);
  check_fill(anonymous, check_me, kBytes);
  check_fill(shared, check_me, kBytes);
  check_fill(file, check_me, kBytes);
  put_from(on_stack, kBytes, "the stack");
  put_from(heap + 1, kBytes, "malloc memory at an odd address");
  put_from(shared, kBytes, "a shared mapping");
  put_from(file, kBytes, "a file");
  REQUIRE(mprotect(anonymous, kBytes, PROT_READ) == 0, "mprotect");
  put_from(anonymous, kBytes, "read-only memory"); /* a put that wrote to its source would crash */
  REQUIRE(mprotect(anonymous, kBytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
  get_into(on_stack, kBytes, "the stack");
  get_into(heap + 1, kBytes, "malloc memory at an odd address");
  get_into(anonymous, kBytes, "a private mapping");
  get_into(shared, kBytes, "a shared mapping");
  get_into(file, kBytes, "a file");
  munmap(anonymous, kBytes);
  munmap(shared, kBytes);
  munmap(file, kBytes);
  fclose(f);
  free(heap);
}

static void constants_and_literals(void) {
  shmem_barrier_all();
  shmem_putmem(target, constants, 8, check_right(1));
  shmem_putmem(target + 8, "literal", 8, check_right(1));
  shmem_barrier_all();
  CHECK(target[0] == 1 && target[7] == 8, "from a const array");
  CHECK(memcmp(target + 8, "literal", 8) == 0, "from a literal");
  shmem_barrier_all();
}

static void small_arrays(void) {
  const int to = check_right(1);
  const int none[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  const int skip[8] = {1, 0, 0, 0, 0, 0, 0, 1};
  const long values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  size_t indices[8], count, i;
  long fetched[2] = {-1, -1}; /* on the stack */
  unsigned seen = 0;
  shmem_long_put(flags, values, 8, to);
  STEP("waits with private arrays");
  shmem_long_wait_until_all_vector(flags, 8, none, SHMEM_CMP_EQ, values);
  count = shmem_long_test_some_vector(flags, 8, indices, skip, SHMEM_CMP_EQ, values);
  CHECK_EQ(count, 6, "test_some_vector with two excluded");
  for (i = 0; i < count && i < 8; ++i) seen |= 1u << indices[i];
  CHECK_EQ(seen, 0x7e, "indices");
  shmem_barrier_all();
  shmem_long_atomic_fetch_add_nbi(&fetched[0], &flags[2], 10, to);
  shmem_long_atomic_fetch_nbi(&fetched[1], &flags[7], to);
  shmem_quiet();
  CHECK_EQ(fetched[0], 3, "fetch on the stack");
  CHECK_EQ(fetched[1], 8, "fetch on the stack");
  shmem_barrier_all();
}

int main(void) {
  check_begin();
  buffers();
  constants_and_literals();
  small_arrays();
  return check_end();
}
