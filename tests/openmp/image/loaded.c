// Says so where one process loads it twice, as it executes itself anew.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char kName[] = "WEFT_TEST_LOADED_BY";

__attribute__((constructor)) static void loaded(void) {
  char own[32];
  snprintf(own, sizeof own, "%ld", (long)getpid());
  const char* by = getenv(kName);
  if (by != NULL && atol(by) == (long)getpid()) puts("loaded twice");
  setenv(kName, own, 1);
}
