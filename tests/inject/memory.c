/* Preloaded into PEs: lets allocations of one PE fail.
 *
 *   WEFT_INJECT_PE=1 WEFT_INJECT_NTH=7 [WEFT_INJECT_FROM=1] [WEFT_INJECT_BY=LIBRARY] [WEFT_INJECT_COUNT=FILE]
 *
 * The 7th call of malloc, calloc, realloc, posix_memalign or aligned_alloc in PE 1 (by=libweft_tcp: of those that this
 * library makes) finds no memory; from=1: and every one after it. Into FILE goes how many calls there were.
 * What the dynamic linker allocates for itself is not among them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

static atomic_long calls;
static long nth = -1;
static int from;
static const char* by;

__attribute__((constructor)) static void begin(void) {
  const char *pe = getenv("WEFT_PE"), *wanted = getenv("WEFT_INJECT_PE"), *which = getenv("WEFT_INJECT_NTH");
  if (pe != NULL && wanted != NULL && which != NULL && strcmp(pe, wanted) == 0) {
    nth = atol(which);
    from = getenv("WEFT_INJECT_FROM") != NULL;
    by = getenv("WEFT_INJECT_BY");
  }
}

__attribute__((destructor)) static void end(void) {
  const char* file = getenv("WEFT_INJECT_COUNT");
  if (nth < 0 || file == NULL) return;
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld\n", (long)calls);
  const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0 && write(fd, text, (size_t)length) == length) close(fd);
}

static int is_by(const void* caller, const char* library) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && strstr(info.dli_fname, library) != NULL;
}

static int fails(const void* caller) {
  if (nth < 0 || (by != NULL && !is_by(caller, by))) return 0;
  const long call = ++calls;
  if (call != nth && !(from && call > nth && nth > 0)) return 0;
  errno = ENOMEM;
  return 1;
}

#define FAILS fails(__builtin_return_address(0))
void* malloc(size_t bytes) { return FAILS ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return FAILS ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* at, size_t bytes) { return FAILS ? NULL : __libc_realloc(at, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return FAILS ? NULL : __libc_memalign(alignment, bytes); }
int posix_memalign(void** at, size_t alignment, size_t bytes) {
  if (FAILS) return ENOMEM;
  *at = __libc_memalign(alignment, bytes);
  return *at == NULL ? ENOMEM : 0;
}
