/* 4.x What the environment does to a job. Arguments: pairs of
 *   fits BYTES     one block of so many bytes must be had
 *   refuses BYTES  and one of so many must not
 * Prints "accepted" when the library was initialised, so that tests of invalid values can demand its absence. */
#include "../check.h"

int main(int argc, char** argv) {
  int provided = -1, i;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_SINGLE, &provided) != 0) {
    fprintf(stderr, "shmem_init_thread refused\n");
    return 7;
  }
  check_identify();
  printf("accepted\n");
  for (i = 1; i + 1 < argc; i += 2) {
    const size_t bytes = (size_t)strtoull(argv[i + 1], NULL, 10);
    char* p = (char*)shmem_malloc(bytes);
    if (!strcmp(argv[i], "fits")) {
      CHECK(p != NULL, "%zu bytes must fit", bytes);
      if (p) {
        shmem_char_p(&p[bytes - 1], (char)(check_me + 1), check_right(1));
        shmem_barrier_all();
        CHECK_EQ(p[bytes - 1], check_right(-1) + 1, "the last byte");
      }
    } else {
      CHECK(p == NULL, "%zu bytes must not fit", bytes);
    }
    shmem_free(p);
  }
  return check_end();
}
