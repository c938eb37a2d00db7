// What a program of several processes cannot do: each way ends with a line, or goes on behind one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int is_last(void) { return omp_get_thread_num() == omp_get_num_threads() - 1; }

static int deep(int left) {
  volatile char room[4096];
  memset((void*)room, left, sizeof room);
  return left == 0 ? 0 : deep(left - 1) + room[5];
}

static void overflow_stack(void) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  if (is_last()) sum += deep(1 << 20);
  printf("%d\n", sum);
}

// What is not to be written is not shared, and lies elsewhere in each process: here they all have much of it, which
// would overlap, and small pieces that go between libraries.
static void use_private_memory(void) {
  const size_t half = (size_t)2 << 30;
  const char* code = NULL;
  static const void* small[64];
#pragma omp parallel
  {
    const void* const first = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    small[omp_get_thread_num()] = first;
    const char* const own = mmap(NULL, 2 * half, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(own != MAP_FAILED);
    if (omp_get_thread_num() == 0) code = own;
#pragma omp barrier
    for (int k = 0; k < omp_get_num_threads(); ++k) CHECK(k == omp_get_thread_num() || small[k] != first);
    if (is_last()) printf("%d\n", *(const volatile char*)(code + half));
  }
}

static void use_file_of_another(void) {
  FILE* const file = fopen("/dev/null", "w");
#pragma omp parallel
  fprintf(file, "thread %d\n", omp_get_thread_num());
  fclose(file);
}

// What is mapped to be written is shared, as what malloc gives is.
static void use_mapped_memory(void) {
  enum { kRoom = 1 << 20 };
  int* mapped = mmap(NULL, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(mapped != MAP_FAILED && (long)mapped % 4096 == 0 && mapped[0] == 0);
#pragma omp parallel
  mapped[omp_get_thread_num() * 5000] = omp_get_thread_num() + 1;
  mapped = mremap(mapped, kRoom, 2 * kRoom, MREMAP_MAYMOVE);
  CHECK(mapped != MAP_FAILED);
  for (int k = 0; k < omp_get_max_threads(); ++k) CHECK(mapped[k * 5000] == k + 1);
  CHECK(munmap(mapped, 2 * kRoom) == 0);
  int* const again = mmap(NULL, 2 * kRoom, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
#pragma omp parallel for
  for (int k = 0; k < kRoom / 2; ++k) CHECK(again[k] == 0);
  CHECK(munmap(again, 2 * kRoom) == 0);
}

// What is left of a mapping whose ends are unmapped is the program's still, as allocators have it that want alignment.
static void use_parts_of_mappings(void) {
  enum { kPage = 4096, kRoom = 64 * kPage, kWays = PROT_READ | PROT_WRITE, kHow = MAP_PRIVATE | MAP_ANONYMOUS };
  char* const all = mmap(NULL, kRoom, kWays, kHow, -1, 0);
  CHECK(all != MAP_FAILED);
  memset(all, 7, kRoom);
  char* const left = all + 40 * kPage;
  CHECK(munmap(all, left - all) == 0 && munmap(all, kPage) == 0 && munmap(left + 8 * kPage, 16 * kPage) == 0);
  char* const other = mmap(NULL, kRoom, kWays, kHow, -1, 0);
  memset(other, 8, kRoom);
  for (int k = 0; k < 8 * kPage; ++k) CHECK(left[k] == 7);
  // A part that grows goes elsewhere and leaves the rest.
  char* const grown = mremap(other + 16 * kPage, 8 * kPage, 24 * kPage, MREMAP_MAYMOVE);
  CHECK(grown != MAP_FAILED && grown[8 * kPage - 1] == 8 && grown[8 * kPage] == 0);
  char* const third = mmap(NULL, kRoom, kWays, kHow, -1, 0);
  memset(third, 9, kRoom);
  CHECK(other[0] == 8 && other[kRoom - 1] == 8 && grown[0] == 8);
  CHECK(mremap(other + 16 * kPage, kPage, 2 * kPage, MREMAP_MAYMOVE) == MAP_FAILED && errno == EFAULT);
  CHECK(mremap(third, kRoom, kRoom / 2, 0) == third && mremap(third, kRoom, kPage, 0) == MAP_FAILED);
  CHECK(mremap(left, 8 * kPage, 9 * kPage, 0) == MAP_FAILED && errno == ENOMEM);
  CHECK(munmap(left + 1, kPage) == -1 && errno == EINVAL);
  CHECK(munmap(left, 8 * kPage) == 0 && munmap(other, kRoom) == 0 && munmap(third, kRoom) == 0);
  CHECK(munmap(grown, 24 * kPage) == 0);
  // Many at once, of all threads.
  enum { kMany = 200 };
  static char* of[kMany];
#pragma omp parallel for schedule(static, 1)
  for (int k = 0; k < kMany; ++k) {
    of[k] = mmap(NULL, 5 * kPage, kWays, kHow, -1, 0);
    CHECK(of[k] != MAP_FAILED && munmap(of[k] + kPage, kPage) == 0 && munmap(of[k] + 3 * kPage, kPage) == 0);
    memset(of[k] + 2 * kPage, k, kPage);
  }
#pragma omp parallel for schedule(static, 3)
  for (int k = 0; k < kMany; ++k) {
    CHECK(munmap(of[k], kPage) == 0 && of[k][2 * kPage] == (char)k && of[k][3 * kPage - 1] == (char)k);
    CHECK(munmap(of[k], 5 * kPage) == 0);
  }
  // All of it goes back, by pieces in any order and by any process: without that, this is 2 GiB.
  for (int k = 0; k < 16; ++k) {
    const size_t part = 32 << 20;
    char* const large = mmap(NULL, 4 * part, kWays, kHow, -1, 0);
    CHECK(large != MAP_FAILED);
    CHECK(munmap(large + part, part) == 0);
#pragma omp parallel
    if (is_last()) CHECK(munmap(large, part) == 0);
    CHECK(munmap(large + part, 3 * part) == 0);
  }
}

// Memory that is shared is to be read and written; what one process has alone, as it likes.
static void change_access(void) {
  enum { kPage = 4096, kWays = PROT_READ | PROT_WRITE };
  static char still[3 * kPage];
  char* const in_data = still + kPage - (size_t)still % kPage;
  char* const block = aligned_alloc(kPage, 2 * kPage);
  char* const mapped = mmap(NULL, 2 * kPage, kWays, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* const own = mmap(NULL, 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* const shared[] = {block, mapped, mapped + kPage, in_data};
  for (int k = 0; k < 4; ++k) {
    CHECK(mprotect(shared[k], kPage, kWays) == 0 && mprotect(shared[k] + 1, kPage, kWays) == -1 && errno == EINVAL);
    CHECK(mprotect(shared[k], kPage, PROT_READ) == -1 && errno == ENOTSUP);
    CHECK(mprotect(shared[k], kPage, PROT_NONE) == -1 && errno == ENOTSUP);
  }
#pragma omp parallel for
  for (int k = 0; k < 4; ++k) shared[k][k] = (char)(k + 1);
  for (int k = 0; k < 4; ++k) CHECK(shared[k][k] == k + 1);
  CHECK(own != MAP_FAILED && mprotect(own, kPage, kWays) == 0);
  own[0] = 5;
  CHECK(mprotect(own, kPage, PROT_READ) == 0 && own[0] == 5 && munmap(own, 2 * kPage) == 0);
}

// What one process has loaded is not in the others.
static void call_what_is_loaded(void) {
  void* const library = dlopen(LATER, RTLD_NOW);
  CHECK(library != NULL);
  int (*const call)(int) = (int (*)(int))dlsym(library, "call_later");
  CHECK(call != NULL && call(1) == 1);
#pragma omp parallel
  if (is_last()) printf("%d\n", call(1));
}

static int is_all(const char* from, size_t bytes, char value) {
  for (size_t k = 0; k < bytes; ++k) {
    if (from[k] != value) return 0;
  }
  return 1;
}

// Pages that are given back and taken anew are zeros for all threads, and nothing takes the place of shared memory.
static void take_pages_anew(void) {
  enum { kPage = 4096, kWays = PROT_READ | PROT_WRITE, kHow = MAP_PRIVATE | MAP_ANONYMOUS };
  char* const mapped = mmap(NULL, 16 * kPage, kWays, kHow, -1, 0);
  char* const block = aligned_alloc(kPage, 8 * kPage);
  CHECK(mapped != MAP_FAILED && block != NULL);
  memset(block, 9, 8 * kPage);
  for (int way = 0; way < 2; ++way) {
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) memset(mapped, 9, 16 * kPage);
#pragma omp barrier
      CHECK(is_all(mapped, 16 * kPage, 9));
#pragma omp barrier
      char* const at = mapped + 2 * kPage;
      if (is_last() && way == 0) CHECK(madvise(at, 4 * kPage - 5, MADV_DONTNEED) == 0);
      if (is_last() && way == 1) CHECK(mmap(at, 4 * kPage, kWays, kHow | MAP_FIXED, -1, 0) == at);
#pragma omp barrier
      CHECK(is_all(at, 4 * kPage, 0) && is_all(mapped, 2 * kPage, 9) && is_all(at + 4 * kPage, 10 * kPage, 9));
    }
  }
  CHECK(madvise(block + kPage, kPage, MADV_DONTNEED) == 0);
#pragma omp parallel
  CHECK(is_all(block + kPage, kPage, 0) && block[0] == 9 && block[2 * kPage] == 9);
  CHECK(madvise(block, kPage, MADV_WILLNEED) == 0 && block[0] == 9);
  CHECK(madvise(block + 1, kPage, MADV_DONTNEED) == -1 && errno == EINVAL);
  // Over the heap, and to read only.
  CHECK(mmap(block, kPage, kWays, kHow | MAP_FIXED, -1, 0) == MAP_FAILED && errno == ENOTSUP && block[0] == 9);
  CHECK(mmap(mapped, kPage, PROT_READ, kHow | MAP_FIXED, -1, 0) == MAP_FAILED && errno == ENOTSUP && mapped[0] == 9);
  char* const own = mmap(NULL, kPage, PROT_READ, kHow, -1, 0);
  CHECK(own != MAP_FAILED && mremap(own, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, mapped) == MAP_FAILED);
  CHECK(errno == ENOTSUP && mapped[0] == 9 && mmap(own, kPage, kWays, kHow | MAP_FIXED, -1, 0) == own);
  CHECK(munmap(own, kPage) == 0 && munmap(mapped, 16 * kPage) == 0);
}

// Those of each thread are its own process's.
static void use_own_files(void) {
  const char* volatile none = NULL;
  CHECK(fopen(none, "r") == NULL && errno == EFAULT && chdir(none) == -1 && errno == EFAULT);
#pragma omp parallel
  {
    FILE* const file = tmpfile();
    CHECK(file != NULL && fputs("7", file) >= 0);
    rewind(file);
    int found = 0;
    CHECK(fscanf(file, "%d", &found) == 1 && found == 7 && fclose(file) == 0);
    FILE* const program = popen("echo 8", "r");
    CHECK(program != NULL && fscanf(program, "%d", &found) == 1 && found == 8 && pclose(program) == 0);
  }
}

// Refused in the program, and not in what it starts.
static void become_another(void) {
#pragma omp parallel
  if (is_last()) {
    CHECK(execl("/bin/echo", "echo", "another", (char*)NULL) == -1);
    const pid_t child = vfork();
    if (child == 0) {
      execlp("true", "true", (char*)NULL);
      _exit(9);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*does)(void);
  } ways[] = {{"stack", overflow_stack},        {"private", use_private_memory}, {"mapped", use_mapped_memory},
              {"parts", use_parts_of_mappings}, {"access", change_access},       {"file", use_file_of_another},
              {"anew", take_pages_anew},        {"loaded", call_what_is_loaded}, {"own_files", use_own_files},
              {"exec", become_another}};
  for (unsigned k = 0; k < sizeof ways / sizeof *ways; ++k) {
    if (argc > 1 && strcmp(argv[1], ways[k].name) == 0) ways[k].does();
  }
  printf("all is right\n");
  return 0;
}
