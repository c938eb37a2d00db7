// What remote PEs cost the memory of one PE: PE 0 puts to more and more of those on other nodes. See docs/scaling.md.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long word;

// KiB of pages that this process alone has, and has written to.
static long private_kib(void) {
  long kib = -1;
  char line[256];
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (file == NULL) return -1;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "Private_Dirty:", 14) == 0) kib = strtol(line + 14, NULL, 10);
  }
  fclose(file);
  return kib;
}

int main(void) {
  long loaded = private_kib();
  shmem_init();
  const int n = shmem_n_pes();
  int remote = 0;
  for (int pe = 0; pe < n; ++pe) remote += shmem_ptr(&word, pe) == NULL;
  shmem_barrier_all();
  if (shmem_my_pe() == 0) {
    const long begun = private_kib();
    printf("%d PEs, %d of them on other nodes; PE 0 alone has %ld KiB before shmem_init, %ld KiB after it\n", n, remote,
           loaded, begun);
    int spoken = 0;
    int next = 1;
    for (int pe = 0; pe < n; ++pe) {
      if (shmem_ptr(&word, pe) != NULL) continue;
      for (int k = 0; k < 100; ++k) shmem_long_atomic_add(&word, 1, pe);
      (void)shmem_long_atomic_fetch(&word, pe);
      if (++spoken == next || spoken == remote) {
        const long now = private_kib();
        printf("%4d spoken to: %6ld KiB, %6.1f KiB for each\n", spoken, now, (double)(now - begun) / spoken);
        next *= 2;
      }
    }
  }
  shmem_barrier_all();
  const int right = shmem_my_pe() == 0 || word == (shmem_ptr(&word, 0) == NULL ? 100 : 0);
  if (!right) printf("PE %d: %ld additions came\n", shmem_my_pe(), word);
  shmem_finalize();
  return right ? 0 : 1;
}
