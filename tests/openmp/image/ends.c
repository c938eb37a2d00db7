// How a program in several processes ends.
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "image.h"

static const char* how;

static void at_end(void) { printf("at exit in %d\n", image()->process); }

static int down(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth == 0 ? 0 : down(depth - 1) + frame[0];
}

static void body(void* argument) {
  (void)argument;
  const int me = image()->process;
  if (strcmp(how, "worker") == 0 && me == 1) exit(4);
  if (strcmp(how, "inside") == 0 && me == 0) exit(0);
  if (strcmp(how, "abort") == 0 && me == 1) abort();
  if (strcmp(how, "stack") == 0 && me == 1) printf("%d\n", down(100 * 1000 * 1000));
  if (strcmp(how, "worker") == 0 || strcmp(how, "inside") == 0 || strcmp(how, "abort") == 0 ||
      strcmp(how, "stack") == 0) {
    sleep(30);
    puts("never");
  }
}

int main(int argc, char** argv) {
  how = argc > 1 ? argv[1] : "";
  puts("begun");
  if (strcmp(how, "handlers") == 0) atexit(at_end);
  if (strcmp(how, "memory") == 0) return malloc((size_t)100 << 20) == NULL ? 0 : 1;
  if (strcmp(how, "fork") == 0) {
    CHECK(fork() == -1);
    CHECK(system("exit 3") == 3 << 8);
  }
  if (strcmp(how, "twice") == 0) {
    void* volatile block = malloc(100000);
    free(block);
    free(block);
  }
  all(body, NULL);
  if (strcmp(how, "exit") == 0) exit(3);
  return 0;
}
