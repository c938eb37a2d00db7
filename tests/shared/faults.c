/* Accesses of all kinds to pages, by name of what is tried. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static sigjmp_buf g_back;

static void own_handler(int signal) {
  (void)signal;
  siglongjmp(g_back, 1);
}

/* More pieces of different access than a process may have: every second page of others is read. */
static void many(int me) {
  enum { kPages = 160000 };
  char* bytes = zeros((size_t)kPages * 4096);
  for (long k = me; k < kPages; k += 2) {
    bytes[k * 4096] = (char)(k % 100 + 1);
  }
  weft_shared_barrier();
  for (int round = 0; round < 2; ++round) {
    long step = 4;
    for (long k = 1 - me; k < kPages; k += step) {
      CHECK(bytes[k * 4096] == (char)(k % 100 + 1));
    }
    weft_shared_barrier();
  }
  for (long k = 1 - me; k < kPages; k += 32) {
    bytes[k * 4096 + 1] = 7;
  }
  weft_shared_barrier();
  for (long k = 0; k < kPages; k += 32) {
    CHECK(bytes[(k + me) * 4096 + 1] == 7 && bytes[(k + 1 - me) * 4096 + 1] == 7);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "chained") == 0) {
    signal(SIGSEGV, own_handler);
  }
  weft_shared_init();
  const int me = weft_shared_my_pe();
  volatile char* block = zeros(3 * 4096);
  block[me * 4096] = 1;
  weft_shared_barrier();
  if (strcmp(what, "many") == 0) {
    many(me);
  } else if (me == 0) {
    if (strcmp(what, "end") == 0) {
      for (long k = 0;; k += 4096) {
        block[k] = 1;
      }
    } else if (strcmp(what, "null") == 0) {
      *(volatile char*)16 = 1;
    } else if (strcmp(what, "child") == 0) {
      const pid_t child = fork();
      if (child == 0) {
        block[0] = 2;
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      CHECK(block[0] == 1);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    } else if (strcmp(what, "chained") == 0) {
      /* Ours are handled, others are the program's. */
      CHECK(block[4096] == 1);
      if (sigsetjmp(g_back, 1) == 0) {
        *(volatile char*)16 = 1;
      } else {
        printf("PE 0: the program's own handler\n");
      }
      CHECK(block[0] == 1);
    }
  }
  weft_shared_barrier();
  weft_shared_finalize();
  return 0;
}
