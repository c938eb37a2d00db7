/* Puts of argv[1] bytes, often enough that their routine is found. */
#include <shmem.h>
#include <stdlib.h>
#include "../../spec/check.h"

int main(int argc, char** argv) {
  const size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  shmem_init();
  check_identify();
  unsigned char* dest = shmem_malloc(bytes);
  unsigned char* source = malloc(bytes);
  REQUIRE(dest != NULL && source != NULL && bytes > 0, "memory for %zu bytes", bytes);
  for (size_t i = 0; i < bytes; ++i) source[i] = (unsigned char)(i * 7 + (size_t)check_me);
  for (int k = 0; k < 100; ++k) shmem_putmem(dest, source, bytes, (check_me + 1) % check_n);
  shmem_barrier_all();
  const size_t before = (size_t)((check_me + check_n - 1) % check_n);
  for (size_t i = 0; i < bytes; ++i) REQUIRE(dest[i] == (unsigned char)(i * 7 + before), "byte %zu", i);
  free(source);
  return check_end();
}
