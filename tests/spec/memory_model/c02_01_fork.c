/* 2.1 A forked child has its own copy of the statics, as fork promises: the parent and the other PEs never see what it
 * stores, and it does not see what they store later; its values are those of the moment of the fork. */
#include "../check.h"

#include <sys/wait.h>

static long word = 5;
static long bss_word;
static char big[200000];
static int fds[2], back[2];

/* The child reports by its exit code: _exit, never a library call. */
static void child(void) {
  char go;
  alarm(30);
  close(fds[1]);
  close(back[0]);
  if (word != 5 + check_me || bss_word != 6 || big[123456] != 7) _exit(10);
  word = -1;
  bss_word = -2;
  memset(big, 8, sizeof big);
  if (write(back[1], "x", 1) != 1) _exit(11); /* the parent looks at its own now */
  if (read(fds[0], &go, 1) != 1) _exit(12);   /* and has changed its own, with everybody else, before this returns */
  if (word != -1 || bss_word != -2 || big[0] != 8 || big[199999] != 8) _exit(13);
  word = 3;
  _exit(word == 3 ? 0 : 14);
}

static void once(void) {
  const int to = check_right(1), from = check_right(-1);
  char c;
  int state = -1;
  pid_t pid;
  word = 5 + check_me;
  bss_word = 6;
  memset(big, 7, sizeof big);
  REQUIRE(pipe(fds) == 0 && pipe(back) == 0, "pipe");
  shmem_barrier_all();
  fflush(NULL);
  pid = fork();
  REQUIRE(pid >= 0, "fork");
  if (pid == 0) child();
  close(fds[0]); /* so that a child that dies shows as the end of the pipe */
  close(back[1]);
  STEP("the child has stored");
  REQUIRE(read(back[0], &c, 1) == 1, "the child died: its values at the fork were wrong");
  CHECK_EQ(word, 5 + check_me, "the child's store shows in the parent (.data)");
  CHECK_EQ(bss_word, 6, "the child's store shows in the parent (.bss)");
  CHECK_EQ(big[0] + big[199999], 14, "the child's stores show in the parent (array)");
  CHECK_EQ(shmem_long_g(&word, to), 5 + to, "a child's store shows in another PE");
  shmem_barrier_all();
  /* the parent and its neighbour store; the child must not see it */
  shmem_long_p(&word, 100 + check_me, to);
  bss_word = 200;
  memset(big, 9, sizeof big);
  shmem_barrier_all();
  CHECK_EQ(word, 100 + from, "puts reach the parent, not its child");
  REQUIRE(write(fds[1], "x", 1) == 1, "write");
  STEP("the child ends");
  REQUIRE(waitpid(pid, &state, 0) == pid, "waitpid");
  CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0,
        "child: status 0x%x (10 values at the fork, 13 it saw stores of the parent or of a PE)", state);
  CHECK_EQ(word, 100 + from, "after the child has ended");
  CHECK_EQ(bss_word, 200, "after the child has ended");
  close(fds[1]);
  close(back[0]);
  shmem_barrier_all();
}

int main(void) {
  check_begin();
  once();
  once(); /* a second child, of a process that has forked already */
  /* traffic goes on after forks */
  shmem_long_atomic_add(&bss_word, 1, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(bss_word, 201, "AMO after forks");
  return check_end();
}
