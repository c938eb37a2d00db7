/* A PE forks where there is no memory for a copy of its static data ("none"), or for one, and none to make that copy
 * the child's own ("one"). Then it fails by itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kBytes = 64 << 20 };
static volatile char large[kBytes]; /* or a compiler keeps the one byte that is used */
static int refused_but_to;          /* 0: to nobody */

/* The library's, too. */
void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (refused_but_to != 0 && getpid() != refused_but_to && (flags & MAP_FIXED) != 0) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void*)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

static long data_bytes(void) {
  char line[256];
  long kilobytes = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) (void)sscanf(line, "VmData: %ld", &kilobytes);
  if (file != NULL) fclose(file);
  return kilobytes * 1024;
}

int main(int argc, char** argv) {
  shmem_init();
  if (argc > 1 && shmem_my_pe() == 0) {
    large[1] = 1;
    const struct rlimit tight = {(rlim_t)(data_bytes() + kBytes / 2), RLIM_INFINITY};
    if (strcmp(argv[1], "one") == 0) refused_but_to = getpid();
    if (strcmp(argv[1], "none") == 0 && setrlimit(RLIMIT_DATA, &tight) != 0) return 2;
    const pid_t child = fork();
    if (child == 0) {
      large[1] = 2; /* would be seen by the parent */
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("the child ended with %d, the parent has %d\n", WEXITSTATUS(status), large[1]);
    fflush(stdout);
    _exit(3);
  }
  for (;;) pause();
}
