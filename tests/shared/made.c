/* Pages that come here together for the first time from another PE of the machine have their memory made of what they
 * hold, and no others; where the kernel does not offer that they come all the same.
 *
 * usage: shared_made [refused]   of two PEs, by pages */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum {
  kPageBytes = 4096,
  kPages = 256,
  kAlone = 2 /* the first one that is touched, and what a prefetch has behind its 64s */
};

static atomic_int g_pages, g_calls;
static int g_refuses, g_is_offered;

/* In place of the C library's. */
__attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const what = va_arg(arguments, void*);
  va_end(arguments);
  if (request == UFFDIO_API && g_refuses) {
    errno = EPERM;
    return -1;
  }
  const int done = (int)syscall(SYS_ioctl, file, request, what);
  if (request == UFFDIO_REGISTER && done == 0) {
    g_is_offered = 1;
  }
  if (request == UFFDIO_COPY) {
    ++g_calls;
    const long long copied = ((struct uffdio_copy*)what)->copy;
    g_pages += copied > 0 ? (int)(copied / kPageBytes) : 0;
  }
  return done;
}

static void write_all(char* all, char value) {
  for (int k = 0; weft_shared_my_pe() == 0 && k < kPages; ++k) {
    memset(all + (size_t)k * kPageBytes, value + k, kPageBytes);
  }
  weft_shared_barrier();
}
static void read_pages(const char* all, int from, int to, char value) {
  for (int k = from; weft_shared_my_pe() == 1 && k < to; ++k) {
    const char* const page = all + (size_t)k * kPageBytes;
    CHECK(page[0] == (char)(value + k) && memcmp(page, page + 1, kPageBytes - 1) == 0);
  }
}

int main(int argc, char** argv) {
  g_refuses = argc > 1 && strcmp(argv[1], "refused") == 0;
  weft_shared_init();
  const int is_counted = weft_shared_my_pe() == 1 && g_is_offered;
  char* const all = weft_shared_from(
      0, weft_shared_my_pe() == 0 ? weft_shared_aligned_alloc(kPageBytes, (size_t)kPages * kPageBytes) : NULL);
  write_all(all, 1);
  const int before = g_pages;
  read_pages(all, 0, kPages / 2, 1);
  const int by_faults = g_pages - before;
  if (weft_shared_my_pe() == 1) {
    weft_shared_prefetch(all, (size_t)kPages * kPageBytes);
    printf("%d pages were made by faults, and %d beforehand\n", by_faults, g_pages - before - by_faults);
  }
  CHECK(!is_counted || (by_faults >= kPages / 2 && g_pages - before == kPages - kAlone));
  read_pages(all, 0, kPages, 1);
  weft_shared_barrier();
  write_all(all, 2);
  read_pages(all, 0, kPages, 2); /* they have memory */
  CHECK(g_pages - before <= kPages && (!g_refuses || g_pages == 0));

  /* So they have where all copies were let go together. It is tried once of those that come together. */
  weft_shared_map(all, (size_t)kPages * kPageBytes, (size_t)kPages * kPageBytes, 0, 1);
  const int calls = g_calls;
  read_pages(all, 0, kPages, 2);
  CHECK(g_calls - calls <= kPages / 16);
  weft_shared_finalize();
  return 0;
}
