/* Shared pages whose moves are known: PE 0 is the first to write 64 pages, PE 1 reads them, and changes four bytes of
 * each; both take a lock ten times. With "both" OpenSHMEM is there too; with "kill" PE 1 is, before the end. */
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <weft/shared.h>

enum { kPages = 64, kWords = 1024 };

int main(int argc, char** argv) {
  const int both = argc > 1 && strcmp(argv[1], "both") == 0;
  const int kill = argc > 1 && strcmp(argv[1], "kill") == 0;
  if (both) {
    shmem_init();
    shmem_barrier_all();
  }
  weft_shared_init();
  const int me = weft_shared_my_pe();
  uint32_t* a = weft_shared_from(0, me == 0 ? weft_shared_aligned_alloc(4096, 4096 * kPages) : NULL);
  weft_shared_lock_t* lock = weft_shared_from(0, me == 0 ? weft_shared_calloc(1, sizeof *lock) : NULL);
  for (int page = 0; me == 0 && page < kPages; ++page) {
    a[page * kWords] = 1;
  }
  weft_shared_barrier();
  uint32_t sum = 0;
  for (int page = 0; me == 1 && page < kPages; ++page) {
    sum += a[page * kWords];
  }
  weft_shared_barrier();
  for (int page = 0; me == 1 && page < kPages; ++page) {
    a[page * kWords + 1] = 0x01010101 * sum / kPages;
  }
  weft_shared_barrier();
  for (int k = 0; k < 10; ++k) {
    weft_shared_lock(lock);
    ++a[kWords * kPages - 1];
    weft_shared_unlock(lock);
  }
  weft_shared_barrier();
  if (a[1] != (weft_shared_n_pes() > 1 ? 0x01010101 : 0) ||
      a[kWords * kPages - 1] != 10 * (uint32_t)weft_shared_n_pes()) {
    fprintf(stderr, "PE %d: %x %u\n", me, a[1], a[kWords * kPages - 1]);
    return 1;
  }
  weft_shared_barrier();
  if (kill && me == 1) {
    (void)raise(SIGKILL);
  }
  weft_shared_finalize();
  if (both) {
    shmem_finalize();
  }
  return 0;
}
