/* Calls of two interfaces: one tool sees both. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

#include "toy.h"

static long word;

int main(void) {
  char came[6] = "";
  shmem_init();
  const int me = shmem_my_pe();
  shmem_long_p(&word, 7, me);
  toy_send("hello", 6, me);
  toy_receive(came, 6, me);
  if (strcmp(came, "hello") == 0 && word == 7) printf("PE %d: both have worked\n", me);
  fflush(stdout);
  shmem_finalize();
  return 0;
}
