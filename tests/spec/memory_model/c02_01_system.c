/* 2.1 system(), popen() and fork+exec work from a PE (they fork or vfork a child of a process whose statics are mapped
 * specially), and what they start is no PE: its use of the environment does not disturb the job. */
#include "../check.h"

#include <spawn.h>
#include <sys/wait.h>

extern char** environ;
static long word = 3;
static char line[100];

int main(void) {
  int state, round;
  check_begin();
  for (round = 0; round < 3; ++round) {
    FILE* f;
    pid_t pid;
    char echo[] = "/bin/echo", text[] = "spawned", *args[3];
    shmem_long_p(&word, 10 + round, check_right(1));
    STEP("system");
    state = system("exit 7");
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 7, "system: 0x%x", state);
    STEP("popen");
    f = popen("echo from a child; cat /dev/null", "r");
    REQUIRE(f != NULL, "popen");
    CHECK(fgets(line, sizeof line, f) != NULL && strcmp(line, "from a child\n") == 0, "popen gave '%s'", line);
    CHECK_EQ(pclose(f), 0, "pclose");
    STEP("posix_spawn");
    args[0] = echo;
    args[1] = text;
    args[2] = NULL;
    if (posix_spawn(&pid, "/bin/echo", NULL, NULL, args, environ) == 0) {
      CHECK(waitpid(pid, &state, 0) == pid && state == 0, "posix_spawn: 0x%x", state);
    }
    shmem_barrier_all();
    CHECK_EQ(word, 10 + round, "traffic between");
    shmem_barrier_all();
  }
  return check_end();
}
