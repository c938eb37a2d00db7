/* Jobs that end otherwise than by shmem_finalize: PE 1 does what the argument says while the others wait for it. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "never") == 0) return 0; /* does not start the library */
  shmem_init();
  if (shmem_my_pe() == 1) {
    usleep(300000);
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    if (strcmp(how, "exit") == 0) return 3;
    if (strcmp(how, "global_exit") == 0) shmem_global_exit(4);
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
