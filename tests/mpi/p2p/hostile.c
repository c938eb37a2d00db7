/* Messages of all sizes where the system does not help: when reading the others' memory is forbidden in the middle,
   with no descriptor left, around fork() and system(), with requests that were freed, and where ranks have different
   options. usage: hostile WHAT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../local/check.h"

static int rank, size, next, previous;
static const int sizes[] = {0, 8, 1000, 4096, 4097, 20000, 300000, 2000000};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 2000000, LARGE = 300000 };
static char *out, *in;

static char byte_of(int from, int k) { return (char)(from * 31 + k * 7 + k / 251); }

static void fill(char* at, int bytes) {
  for (int k = 0; k < bytes; ++k) {
    at[k] = byte_of(rank, k);
  }
}

static void is_from(const char* at, int from, int bytes) {
  for (int k = 0; k < bytes; ++k) {
    CHECK(at[k] == byte_of(from, k));
  }
}

/* Round the ring: several times, so that all ways are tried. */
static void exchange(void) {
  for (int turn = 0; turn < 5; ++turn) {
    for (int k = 0; k < SIZES; ++k) {
      memset(in, 0, (size_t)sizes[k]);
      GOOD(MPI_Sendrecv(out, sizes[k], MPI_CHAR, next, k, in, sizes[k], MPI_CHAR, previous, k, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
      is_from(in, previous, sizes[k]);
    }
  }
}

/* What a container's rules or a change of ptrace_scope do: the calls exist, and are not permitted. */
static void forbid_reading(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* One rank after the other: the rules change while others read. */
static void revoked(void) {
  for (int who = 0; who < size; ++who) {
    MPI_Request requests[2];
    GOOD(MPI_Irecv(in, LARGEST, MPI_CHAR, previous, 50, MPI_COMM_WORLD, &requests[0]));
    GOOD(MPI_Isend(out, LARGEST, MPI_CHAR, next, 50, MPI_COMM_WORLD, &requests[1]));
    if (who == rank) {
      forbid_reading();
    }
    GOOD(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    is_from(in, previous, LARGEST);
    exchange();
  }
}

static void closed_to_others(void) {
  if (rank % 2 == 0) {
    CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
  }
  exchange();
}

static void no_descriptors(void) {
  int last = -1;
  for (int one = open("/dev/null", O_RDONLY); one >= 0; one = open("/dev/null", O_RDONLY)) {
    last = one;
  }
  CHECK(errno == EMFILE);
  exchange();
  close(last); /* what ends the program may want one */
}

/* A child has nothing of the job, and nobody waits for it; large messages are under way meanwhile. */
static void forks(void) {
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Request requests[2];
    int code = -1;
    GOOD(MPI_Irecv(in, LARGE, MPI_CHAR, previous, turn, MPI_COMM_WORLD, &requests[0]));
    GOOD(MPI_Isend(out, LARGE, MPI_CHAR, next, turn, MPI_COMM_WORLD, &requests[1]));
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      memset(out, 0, LARGEST);
      memset(in, 0, LARGEST);
      _exit(7);
    }
    CHECK(waitpid(child, &code, 0) == child && WIFEXITED(code) && WEXITSTATUS(code) == 7);
    CHECK(system("exit 5") == 5 << 8);
    GOOD(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    is_from(in, previous, LARGE);
    exchange();
  }
}

/* Requests that nobody waits for: their messages come all the same, the last ones while their senders end. */
static void freed(void) {
  char word = 0;
  for (int turn = 0; turn < 10; ++turn) {
    MPI_Request request;
    memset(in, 0, LARGE);
    GOOD(MPI_Irecv(in, LARGE, MPI_CHAR, previous, 1, MPI_COMM_WORLD, &request));
    GOOD(MPI_Request_free(&request));
    GOOD(MPI_Isend(out, LARGE, MPI_CHAR, next, 1, MPI_COMM_WORLD, &request));
    GOOD(MPI_Request_free(&request));
    /* Behind it in order, and synchronous: the rank there has received both, and so has this one. */
    GOOD(MPI_Issend(out, LARGE, MPI_CHAR, next, 2, MPI_COMM_WORLD, &request));
    GOOD(MPI_Recv(in + LARGE, LARGE, MPI_CHAR, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
    /* Nothing tells when the receive that was freed is complete; behind this the next one has the place. */
    GOOD(MPI_Sendrecv(&word, 1, MPI_CHAR, next, 3, &word, 1, MPI_CHAR, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
  }
  exchange();
  MPI_Request request;
  GOOD(MPI_Isend(out, LARGE, MPI_CHAR, next, 4, MPI_COMM_WORLD, &request));
  GOOD(MPI_Request_free(&request));
  GOOD(MPI_Recv(in, LARGE, MPI_CHAR, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  is_from(in, previous, LARGE);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  const char* const what = argv[1];
  if (strcmp(what, "mixed") == 0) {
    /* As launchers tell it before there is MPI. */
    const char* const number = getenv("OMPI_COMM_WORLD_RANK");
    CHECK(number != NULL);
    CHECK(setenv("WEFT_SINGLE_COPY", atoi(number) % 2 == 0 ? "none" : "auto", 1) == 0);
  }
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  out = malloc(LARGEST);
  in = malloc(LARGEST);
  CHECK(out != NULL && in != NULL);
  fill(out, LARGEST);
  if (strcmp(what, "descriptors") != 0) { /* that one is to make its connections without */
    exchange();
  }
  if (strcmp(what, "revoked") == 0) revoked();
  if (strcmp(what, "undumpable") == 0) closed_to_others();
  if (strcmp(what, "descriptors") == 0) no_descriptors();
  if (strcmp(what, "forks") == 0) forks();
  if (strcmp(what, "freed") == 0) freed();
  return end(); /* which waits for sends that were freed: their data stays */
}
