/* Point 8.1 (and 2.4, 2.6): putmem and getmem with every odd alignment and many lengths up to a MiB; sources on the
 * stack, in malloc'ed, read-only and mapped memory; the source is free again when put returns. */
#include "check.h"

#include <sys/mman.h>

enum { kRoom = (1 << 20) + 4096, kGuardByte = 0x5A };

static unsigned char g_static[kRoom];
static const char kReadOnly[] = "read-only memory is a source like any other";

static const size_t kLengths[] = {0,  1,  2,  3,  4,  5,  6,  7,   8,   9,    12,   13,   15,
                                  16, 17, 31, 33, 63, 64, 65, 127, 255, 1000, 4096, 4097, 70001};

/* Everything but [at, at + n) still has the guard value. */
static int only_inside(const unsigned char* room, size_t at, size_t n, size_t total) {
  size_t i;
  for (i = 0; i < total; ++i)
    if ((i < at || i >= at + n) && room[i] != kGuardByte) return 0;
  return 1;
}

static void put_one(unsigned char* room, unsigned char* private_room, size_t at, size_t from_at, size_t n) {
  const int to = check_right(1), from = check_right(-1);
  const size_t total = at + n + 64;
  memset(room, kGuardByte, total);
  shmem_barrier_all();
  check_fill(private_room + from_at, check_me, n);
  shmem_putmem(room + at, private_room + from_at, n, to);
  memset(private_room + from_at, 0, n); /* ours again */
  shmem_barrier_all();
  CHECK_EQ(check_find_wrong(room + at, from, n), n, "putmem of %zu bytes, %zu to %zu off alignment", n, from_at, at);
  CHECK(only_inside(room, at, n, total), "putmem of %zu bytes wrote beside its target", n);
  shmem_barrier_all();
}

static void get_one(unsigned char* room, unsigned char* private_room, size_t at, size_t to_at, size_t n) {
  const size_t total = to_at + n + 64;
  const int from = check_right(1);
  memset(private_room, kGuardByte, total);
  shmem_getmem(private_room + to_at, room + at, n, from);
  /* the whole room was filled by its PE: byte i of the room is check_byte(pe, i) */
  {
    size_t i, wrong = n;
    for (i = 0; i < n && wrong == n; ++i)
      if (private_room[to_at + i] != check_byte(from, at + i)) wrong = i;
    CHECK_EQ(wrong, n, "getmem of %zu bytes, %zu to %zu off alignment", n, at, to_at);
  }
  CHECK(only_inside(private_room, to_at, n, total), "getmem of %zu bytes wrote beside its target", n);
}

static void lengths_and_alignments(unsigned char* room, unsigned char* private_room) {
  size_t i;
  for (i = 0; i < sizeof kLengths / sizeof kLengths[0]; ++i)
    put_one(room, private_room, 32 + (i * 7 + 1) % 16, (i * 5 + 3) % 16, kLengths[i]);
  put_one(room, private_room, 33, 7, (1 << 20) + 3);
  check_fill(room, check_me, kRoom);
  shmem_barrier_all();
  for (i = 0; i < sizeof kLengths / sizeof kLengths[0]; ++i) {
    size_t at;
    for (at = 0; at < 16; at += 3) get_one(room, private_room, at, 32 + (at * 5 + i) % 16, kLengths[i]);
  }
  get_one(room, private_room, 5, 34, (1 << 20) + 3);
  shmem_barrier_all();
}

static void other_sources(unsigned char* room) {
  const int to = check_right(1), from = check_right(-1);
  char stack[100];
  unsigned char* const mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED, "mmap");
  check_fill(stack, check_me, sizeof stack);
  check_fill(mapped, check_me, 8192);
  mprotect(mapped, 8192, PROT_READ);
  memset(room, 0, 16384);
  shmem_barrier_all();
  shmem_putmem(room, kReadOnly, sizeof kReadOnly, to);
  shmem_putmem(room + 1001, stack, sizeof stack, to);
  shmem_putmem(room + 4001, mapped, 8192, to);
  memset(stack, 0, sizeof stack);
  munmap(mapped, 8192);
  shmem_barrier_all();
  CHECK(memcmp(room, kReadOnly, sizeof kReadOnly) == 0, "put from read-only memory: %.10s", (char*)room);
  CHECK_EQ(check_find_wrong(room + 1001, from, 100), 100, "put from the stack");
  CHECK_EQ(check_find_wrong(room + 4001, from, 8192), 8192, "put from mapped memory");
  shmem_getmem(stack, room + 1001, sizeof stack, to);
  CHECK_EQ(check_find_wrong(stack, check_me, sizeof stack), sizeof stack, "get to the stack");
  shmem_barrier_all();
}

int main(void) {
  unsigned char *heap, *mine;
  check_begin();
  heap = shmem_malloc(kRoom);
  mine = malloc(kRoom);
  REQUIRE(heap && mine, "no memory");
  STEP("heap");
  lengths_and_alignments(heap, mine);
  STEP("static");
  lengths_and_alignments(g_static, mine);
  STEP("sources");
  other_sources(heap);
  other_sources(g_static);
  free(mine);
  shmem_free(heap);
  return check_end();
}
