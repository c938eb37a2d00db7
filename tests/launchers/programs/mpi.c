/* An MPI program as every launcher has to run it. argv[1]: "all", whose argv[2] is how many ranks there are; or how one
 * of them ends, whose argv[2] is its rank, while all others wait for ever. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEED(what)                                                         \
  do {                                                                     \
    if (!(what)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #what); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)

enum { LARGE = 1 << 18 };

static int me, n;
static double mine[LARGE], theirs[LARGE];

/* To the next one and from the one before: a message that a box takes, and one that is read where it lies. */
static void ring(int count) {
  MPI_Status status;
  const int next = (me + 1) % n, before = (me + n - 1) % n;
  for (int k = 0; k < count; ++k) mine[k] = me + 0.5 * k;
  MPI_Sendrecv(mine, count, MPI_DOUBLE, next, 3, theirs, count, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
  NEED(status.MPI_SOURCE == before);
  for (int k = 0; k < count; ++k) NEED(theirs[k] == before + 0.5 * k);
}

static void sums(MPI_Comm comm, int size, int rank) {
  int ranks = -1;
  for (int k = 0; k < 1000; ++k) mine[k] = rank + k;
  MPI_Allreduce(mine, theirs, 1000, MPI_DOUBLE, MPI_SUM, comm);
  for (int k = 0; k < 1000; ++k) NEED(theirs[k] == size * (size - 1) / 2.0 + (double)size * k);
  MPI_Comm_size(comm, &ranks);
  NEED(ranks == size);
}

/* Every second rank, in the other direction. */
static void halves(void) {
  MPI_Comm half;
  const int members = (n + 1 - me % 2) / 2;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
  sums(half, members, members - 1 - me / 2);
  MPI_Comm_free(&half);
}

/* What it starts is no rank. */
static void starts_something(void) {
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(127);
  }
  NEED(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void waits(void) {
  int word = 0;
  if (me % 2 == 0) {
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  fprintf(stderr, "rank %d waited for nothing\n", me);
}

static int ends(const char* how) {
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 42);
  if (strcmp(how, "abort_zero") == 0) MPI_Abort(MPI_COMM_WORLD, 0);
  if (strcmp(how, "error") == 0) MPI_Comm_rank(MPI_COMM_NULL, &me);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "leave") == 0) return 0; /* success, without MPI_Finalize */
  if (strcmp(how, "return") == 0) return 7;
  return 99;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  starts_something();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  if (strcmp(what, "all") != 0) {
    if (me == number) return ends(what);
    waits();
    return 98;
  }
  NEED(n == number);
  ring(1);
  ring(LARGE);
  sums(MPI_COMM_WORLD, n, me);
  halves();
  starts_something();
  ring(1);
  MPI_Finalize();
  if (me == 0) printf("mpi is right on %d\n", n);
  return 0;
}
