/* What a program with another user's rights takes from the environment: all it prints should be its own doing. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

static long mine = 42;

int main(void) {
  char line[512];
  int shared = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) shared += strstr(line, "memfd:weft") != NULL;
  shmem_init();
  long* heap = shmem_malloc(64 << 20); /* more than SHMEM_SYMMETRIC_SIZE says */
  printf("secure %lu, PE %d of %d, %d shared, %ld, %s\n", getauxval(AT_SECURE), shmem_my_pe(), shmem_n_pes(), shared,
         mine, heap != NULL ? "own heap" : "no heap");
  shmem_finalize();
  return 0;
}
