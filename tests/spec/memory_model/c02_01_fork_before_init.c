/* 2.1 A child forked before shmem_init, and one after the last finalize, have copies of their own as well. */
#include "../check.h"

#include <sys/wait.h>

static long word = 5, other;

static void fork_and_store(const char* when) {
  int state = -1;
  pid_t pid;
  fflush(NULL);
  pid = fork();
  if (pid == 0) {
    alarm(30);
    word = -9;
    other = -9;
    _exit(word == -9 ? 0 : 1);
  }
  CHECK(pid > 0 && waitpid(pid, &state, 0) == pid && state == 0, "%s: child's status 0x%x", when, state);
  CHECK(word == 5 && other != -9, "%s: the child's stores show: %ld %ld", when, word, other);
}

int main(void) {
  check_watch();
  fork_and_store("before init");
  shmem_init();
  check_identify();
  CHECK_EQ(shmem_long_g(&word, check_right(1)), 5, "word of the neighbour");
  shmem_long_p(&other, 1 + check_me, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(other, 1 + check_right(-1), "put after a fork before init");
  if (check_failures) check_give_up();
  shmem_finalize();
  fork_and_store("after finalize");
  return check_result();
}
