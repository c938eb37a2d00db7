/* Puts of argv[1] bytes, argv[2] MiB in all: 32 find their routine. HOME becomes argv[3], if any. */
#include "../../spec/check.h"

int main(int argc, char** argv) {
  const size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  const size_t puts = argc > 2 && bytes > 0 ? (strtoul(argv[2], NULL, 10) << 20) / bytes : 1;
  shmem_init();
  check_identify();
  if (argc > 3) REQUIRE(setenv("HOME", argv[3], 1) == 0, "no room for HOME");
  unsigned char* dest = shmem_malloc(bytes);
  unsigned char* source = malloc(bytes);
  REQUIRE(dest != NULL && source != NULL && bytes > 0, "memory for %zu bytes", bytes);
  for (size_t i = 0; i < bytes; ++i) source[i] = (unsigned char)(i * 7 + (size_t)check_me);
  for (size_t k = 0; k < puts; ++k) shmem_putmem(dest, source, bytes, (check_me + 1) % check_n);
  shmem_barrier_all();
  const size_t before = (size_t)((check_me + check_n - 1) % check_n);
  for (size_t i = 0; i < bytes; ++i) REQUIRE(dest[i] == (unsigned char)(i * 7 + before), "byte %zu", i);
  free(source);
  return check_end();
}
