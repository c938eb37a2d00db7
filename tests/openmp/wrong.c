// What a program of several processes cannot do: each way ends with a line, or goes on behind one.
#define _GNU_SOURCE
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

// What is not to be written is not shared.
static void use_private_memory(void) {
  void* const code = mmap(NULL, 64 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#pragma omp parallel
  if (is_last()) printf("%d\n", *(volatile char*)code);
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

// Those of each thread are its own process's.
static void use_own_files(void) {
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
  } ways[] = {{"stack", overflow_stack},     {"private", use_private_memory}, {"mapped", use_mapped_memory},
              {"file", use_file_of_another}, {"own_files", use_own_files},    {"exec", become_another}};
  for (unsigned k = 0; k < sizeof ways / sizeof *ways; ++k) {
    if (argc > 1 && strcmp(argv[1], ways[k].name) == 0) ways[k].does();
  }
  printf("all is right\n");
  return 0;
}
