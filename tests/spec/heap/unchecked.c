/* What programs do that do not look at what shmem_malloc returns, or free what they have aligned themselves.
 *   unchecked null|far|put|source BYTES   asks for that much and uses it: its beginning, its last word, in puts
 *   unchecked inside                      frees an address inside a block, twice
 *   unchecked handled BYTES               looks at the result, and crashes of something else */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long word;

static int inside(void) {
  char* blocks[2];
  for (int k = 0; k < 2; k++) {
    blocks[k] = shmem_malloc(100000 + 4096);
    char* aligned = (char*)(((uintptr_t)blocks[k] / 4096 + 1) * 4096);
    memset(aligned, k, 100000);
    shmem_free(aligned);
  }
  char* third = shmem_malloc(64);
  const int right = blocks[0] != blocks[1] && third != blocks[0] && third != blocks[1];
  shmem_free(blocks[0]);
  shmem_free(blocks[1]);
  shmem_free(third);
  printf("PE %d %s\n", shmem_my_pe(), right ? "goes on" : "got a block twice");
  shmem_finalize();
  return !right;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const char* what = argv[1];
  shmem_init();
  if (strcmp(what, "inside") == 0) return inside();
  if (argc < 3) return 2;
  const size_t bytes = strtoull(argv[2], NULL, 10);
  (void)shmem_malloc(1000);
  long* block = shmem_malloc(bytes);
  if (strcmp(what, "null") == 0) block[3] = 1;
  if (strcmp(what, "far") == 0) block[bytes / sizeof *block - 1] = 1;
  if (strcmp(what, "put") == 0) shmem_long_put(block, &word, 1, 0);
  if (strcmp(what, "source") == 0) shmem_long_put(&word, block, 1, 0);
  if (strcmp(what, "handled") == 0 && block == NULL) *(volatile long*)(uintptr_t)0x7000000000000000 = 1;
  shmem_barrier_all();
  printf("PE %d goes on\n", shmem_my_pe());
  shmem_finalize();
  return 0;
}
