/* Pages that come from another host have their memory made while they are on their way: those that come for the first
 * time, by faults and by prefetching, and no others; and few at a time, as what comes waits meanwhile. A kernel that
 * does not know how is asked once.
 *
 * usage: shared_beforehand [old]   of two PEs, each on a host of its own; old: of such a kernel */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { kPopulateWrite = 23, kPageBytes = 4096, kPages = 256, kMixed = 7, kApart = 64, kMostAtATime = 64 };

static atomic_int g_calls, g_pages;
static int g_old;

/* In place of the C library's. */
__attribute__((visibility("default"))) int madvise(void* at, size_t bytes, int advice) {
  if (advice == kPopulateWrite) {
    ++g_calls;
    g_pages += (int)(bytes / kPageBytes);
    CHECK(bytes <= (size_t)kMostAtATime * kPageBytes);
    if (g_old) {
      errno = EINVAL;
      return -1;
    }
  }
  return (int)syscall(SYS_madvise, at, bytes, advice);
}

static char* page(char* all, int k) { return all + (size_t)k * kPageBytes; }

static void write_all(char* all, int pages, char what) {
  for (int k = 0; weft_shared_my_pe() == 0 && k < pages; ++k) {
    *page(all, k) = what;
  }
  weft_shared_barrier();
}

static void read_pages(char* all, int from, int to, char what) {
  for (int k = from; weft_shared_my_pe() == 1 && k < to; ++k) {
    CHECK(*page(all, k) == what);
  }
}

/* By faults, and then by prefetching; then again, as they have changed. */
static void check_first_time(char* all) {
  write_all(all, kPages, 1);
  const int before = g_pages;
  read_pages(all, 0, kPages / 2, 1);
  const int by_faults = g_pages - before;
  if (weft_shared_my_pe() == 1) {
    weft_shared_prefetch(all, (size_t)kPages * kPageBytes);
    printf("memory was made for %d pages by faults, and for %d beforehand\n", by_faults, g_pages - before - by_faults);
    CHECK(g_old || (by_faults >= kPages / 2 && g_pages - before >= kPages));
  }
  read_pages(all, 0, kPages, 1);
  weft_shared_barrier();
  const int all_made = g_pages;
  write_all(all, kPages, 2);
  read_pages(all, 0, kPages, 2);
  CHECK(g_old || g_pages == all_made);
  weft_shared_barrier();
}

/* Pages 3 to 6 come together, as 0 did, and 1 and 2: the first of them has been here, and the others have not. */
static void check_mixed(char* all) {
  weft_shared_protocol(all, (size_t)kMixed * kPageBytes, WEFT_SHARED_INVALIDATE); /* else it comes by itself */
  write_all(all, kMixed, 1);
  const int before = g_pages;
  for (int k = 0; weft_shared_my_pe() == 1 && k < kMixed; ++k) {
    (void)weft_shared_uint32_load((uint32_t*)(void*)page(all, k)); /* so that it knows where each is at home */
  }
  read_pages(all, 3, 4, 1);
  const int alone = g_pages - before;
  weft_shared_barrier();
  write_all(all, kMixed, 2);
  read_pages(all, 0, kMixed, 2);
  if (weft_shared_my_pe() == 1) {
    printf("memory was made for %d pages, and then for %d beside them\n", alone, g_pages - before - alone);
    CHECK(g_old || g_pages - before >= kMixed);
  }
  weft_shared_barrier();
}

int main(int argc, char** argv) {
  g_old = argc > 1 && strcmp(argv[1], "old") == 0;
  weft_shared_init();
  const size_t pages = kPages + kApart + kMixed;
  char* const all =
      weft_shared_from(0, weft_shared_my_pe() == 0 ? weft_shared_aligned_alloc(kPageBytes, pages * kPageBytes) : NULL);
  check_first_time(all);
  check_mixed(page(all, kPages + kApart));
  CHECK(!g_old || weft_shared_my_pe() != 1 || g_calls == 1);
  weft_shared_finalize();
  return 0;
}
