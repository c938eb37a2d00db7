/* Operations before shmem_init, after the last shmem_finalize and in a forked child, in a function that has made the
 * same operation where it was right: the compiler may have kept the peer's address. Each ends the job with a line.
 *
 *   outside before | after | heap | child */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long word;

int main(int argc, char** argv) {
  const char* where = argc > 1 ? argv[1] : "";
  if (!strcmp(where, "before")) shmem_long_p(&word, 1, 0);
  shmem_init();
  const int pe = (shmem_my_pe() + 1) % shmem_n_pes();
  long* block = shmem_calloc(10, sizeof(long));
  shmem_long_p(&word, 2, pe);
  shmem_long_p(&block[1], 2, pe);
  shmem_barrier_all();
  if (!strcmp(where, "child")) {
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
      shmem_long_p(&block[1], 3, pe);
      _exit(0);
    }
    waitpid(child, &status, 0);
    shmem_barrier_all();
    printf("child %d, word %ld\n", WEXITSTATUS(status), block[1]);
  }
  shmem_finalize();
  if (!strcmp(where, "after")) shmem_long_p(&word, 4, pe);
  if (!strcmp(where, "heap")) block[1] = 5;
  return 0;
}
