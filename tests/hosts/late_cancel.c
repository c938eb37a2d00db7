/* An MPI_Cancel that is on its way when its receiver has ended MPI. Rank 1 of node1 sends to rank 3 of node2, which
 * receives, and cancels while the answer is on its way. The network is slow here: recv() finds nothing where a rank
 * wants to hear nothing. OpenSHMEM goes on behind MPI_Finalize, so the process is there when the word comes.
 * Ranks tell each other by files in the folder that is given where they are: messages would come in order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../mpi/local/check.h"

/* Nothing comes in; from the next bytes on nothing comes in; whose bytes these were, and whether more came there. */
static atomic_int deaf, deaf_soon, line = -1, came;

ssize_t recv(int fd, void* into, size_t bytes, int flags) {
  static ssize_t (*real)(int, void*, size_t, int);
  if (real == NULL) real = (ssize_t(*)(int, void*, size_t, int))dlsym(RTLD_NEXT, "recv");
  if (deaf) {
    errno = EAGAIN;
    return -1;
  }
  const ssize_t got = real(fd, into, bytes, flags);
  if (got > 0 && deaf_soon) {
    deaf_soon = 0;
    line = fd;
    deaf = 1;
  } else if (got > 0 && fd == line) {
    came = 1;
  }
  return got;
}

static const char* folder;
static int there;

static void say(const char* what) {
  char name[512];
  snprintf(name, sizeof name, "%s/%s", folder, what);
  const int file = open(name, O_CREAT | O_WRONLY, 0600);
  CHECK(file >= 0 && close(file) == 0);
}

static void await(const char* what) {
  char name[512];
  snprintf(name, sizeof name, "%s/%s", folder, what);
  while (access(name, F_OK) != 0) (void)sched_yield();
}

int main(int argc, char** argv) {
  int rank = -1, flag = -1;
  char byte = 0;
  CHECK(argc == 2);
  folder = argv[1];
  MPI_Init(NULL, NULL);
  shmem_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* One after the other, so that there is one connection, and both have done with greeting. */
  for (int turn = 0; turn < 2 && rank % 2 == 1; ++turn) {
    if (rank == 1) {
      MPI_Send(&byte, 1, MPI_CHAR, 3, 1, MPI_COMM_WORLD);
      MPI_Recv(&byte, 1, MPI_CHAR, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&byte, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&byte, 1, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Request request;
    MPI_Status status;
    await("listens");
    deaf = 1;
    MPI_Issend(&byte, 1, MPI_CHAR, 3, 2, MPI_COMM_WORLD, &request);
    await("received");
    MPI_Cancel(&request);
    deaf = 0;
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag == 0);
  } else if (rank == 3) {
    deaf_soon = 1;
    say("listens");
    MPI_Recv(&byte, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(deaf);
    say("received");
  }
  MPI_Finalize();
  deaf = 0;
  if (rank == 3) {
    /* The answer comes behind the word that it is to be cancelled, on the same line. */
    (void)shmem_int_atomic_fetch(&there, 1);
    CHECK(came);
  }
  shmem_barrier_all();
  shmem_finalize();
  printf("rank %d is done\n", rank);
  return 0;
}
