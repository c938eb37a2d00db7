/* PE 0 prints "before", and its forked child "child", which then makes a call of the library: that ends it with a line.
 * "written": what the parent has printed before the fork is written by then. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  static char room[4096];
  static long word;
  int status = 0;
  shmem_init();
  if (shmem_my_pe() != 0) {
    shmem_finalize();
    return 0;
  }
  setvbuf(stdout, room, _IOFBF, sizeof room);
  printf("before\n");
  if (argc > 1 && strcmp(argv[1], "written") == 0) fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    printf("child\n");
    shmem_long_p(&word, 1, 1);
    _exit(7);
  }
  waitpid(child, &status, 0);
  printf("the child ended with %d\n", WEXITSTATUS(status));
  shmem_finalize();
  return 0;
}
