/* Point 16.1: what oshrun carries in and out: arguments and environment to every PE, standard input to PE 0 (the others
 * see its end), whole lines of both outputs from all PEs. The expected lines are in CMakeLists.txt. */
#include "check.h"

int main(int argc, char** argv) {
  char line[200];
  const char* const set = getenv("SPEC_16_1");
  check_begin();
  CHECK_EQ(argc, 4, "arguments");
  CHECK(argc == 4 && strcmp(argv[1], "one") == 0 && strcmp(argv[2], "two words") == 0 && strcmp(argv[3], "-n") == 0,
        "arguments arrive as they were given, also those that look like oshrun's own");
  CHECK(set != NULL && strcmp(set, "a value") == 0, "the environment: %s", set ? set : "(not set)");
  if (check_me == 0) {
    int lines = 0;
    unsigned long sum = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
      ++lines;
      sum += strlen(line);
    }
    printf("PE 0 read %d lines, %lu characters\n", lines, sum);
  } else {
    CHECK(fgets(line, sizeof line, stdin) == NULL, "PE %d has standard input too: %s", check_me, line);
  }
  printf("PE %d of %d says hello\n", check_me, check_n);
  fprintf(stderr, "PE %d of %d on the error stream\n", check_me, check_n);
  return check_end();
}
