/* 3.5 An alignment that is no power of two is undefined; here it ends the job with a line that says so. The argument is
 * the alignment. */
#include "../check.h"

int main(int argc, char** argv) {
  check_begin();
  if (argc > 1) shmem_align((size_t)strtoull(argv[1], NULL, 10), 64);
  fprintf(stderr, "nothing stopped it\n");
  return check_end();
}
