/* Large messages one way at a time, which both sides copy where each has a processor: of all lengths around the pieces,
   with receivers that come early and late, senders that do something else meanwhile, senders that may not write, and
   buffers that end before their messages. usage: together WHAT, with an even number of ranks */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../local/check.h"

enum { KIB = 1024, MOST = 5000 * KIB, GUARD = 64, TAG = 3 };
static const int lengths[] = {65535,     65536,     65537,      80 * KIB,       96 * KIB + 1,   131072,
                              200 * KIB, 256 * KIB, 1024 * KIB, 1025 * KIB + 7, 3000 * KIB - 1, MOST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static int rank, other;
static unsigned char *out, *in;
static long long bytes_read, bytes_written;
static int refusal;

/* The calls of the system stand here: they count, and one refuses. Words by which ranks try each other go. */
ssize_t process_vm_readv(pid_t pid, const struct iovec* ours, unsigned long n_ours, const struct iovec* theirs,
                         unsigned long n_theirs, unsigned long flags) {
  const ssize_t came = syscall(SYS_process_vm_readv, pid, ours, n_ours, theirs, n_theirs, flags);
  bytes_read += came > 64 ? came : 0;
  return came;
}
ssize_t process_vm_writev(pid_t pid, const struct iovec* ours, unsigned long n_ours, const struct iovec* theirs,
                          unsigned long n_theirs, unsigned long flags) {
  if (refusal != 0 && n_ours > 0 && ours[0].iov_len > 64) {
    errno = refusal;
    return -1;
  }
  const ssize_t went = syscall(SYS_process_vm_writev, pid, ours, n_ours, theirs, n_theirs, flags);
  bytes_written += went > 64 ? went : 0;
  return went;
}

static unsigned char byte_of(int from, int k, int salt) { return (unsigned char)(from * 31 + k * 7 + k / 251 + salt); }

static void fill(unsigned char* at, int bytes, int salt) {
  for (int k = 0; k < bytes; ++k) at[k] = byte_of(rank, k, salt);
}
static void is_from_other(const unsigned char* at, int bytes, int salt) {
  for (int k = 0; k < bytes; ++k) CHECK(at[k] == byte_of(other, k, salt));
  for (int k = bytes; k < bytes + GUARD; ++k) CHECK(at[k] == 0);
}

/* The word goes ahead, so that the receive is posted before the data comes, or goes behind. */
static void one_way(int sends, int bytes, int offset, int salt, int early) {
  if (sends) {
    fill(out + offset, bytes, salt);
    if (early) GOOD(MPI_Recv(NULL, 0, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    GOOD(MPI_Send(out + offset, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD));
  } else {
    MPI_Request request;
    MPI_Status status;
    int count = 0;
    memset(in, 0, (size_t)bytes + GUARD);
    if (early) {
      GOOD(MPI_Irecv(in, MOST, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &request));
      GOOD(MPI_Send(NULL, 0, MPI_CHAR, other, 1, MPI_COMM_WORLD));
      GOOD(MPI_Wait(&request, &status));
    } else {
      GOOD(MPI_Recv(in, MOST, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &status));
    }
    GOOD(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK(count == bytes);
    is_from_other(in, bytes, salt);
  }
}

static void both_ways(void) {
  for (int k = 0; k < LENGTHS; ++k) {
    for (int turn = 0; turn < 8; ++turn) {
      one_way(rank % 2 == turn % 2, lengths[k], turn / 4 * 3, k + turn, turn / 2 % 2);
    }
  }
}

/* What fits is received. */
static void too_short(void) {
  for (int k = 0; k < LENGTHS; ++k) {
    for (int turn = 0; turn < 4; ++turn) {
      const int room = lengths[k] / 4 * 3 + turn;
      if (rank % 2 == turn % 2) {
        fill(out, lengths[k], k + turn);
        GOOD(MPI_Send(out, lengths[k], MPI_BYTE, other, TAG, MPI_COMM_WORLD));
      } else {
        memset(in, 0, (size_t)room + GUARD);
        FAILS(MPI_ERR_TRUNCATE, MPI_Recv(in, room, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        is_from_other(in, room, k + turn);
      }
    }
  }
}

/* With a processor each, both sides have copied; where the system lets nobody reach another, neither. */
static void both_have_copied(int ranks) {
  cpu_set_t processors;
  CHECK(sched_getaffinity(0, sizeof processors, &processors) == 0);
  if (CPU_COUNT(&processors) >= ranks && bytes_read > 0) CHECK(bytes_written > 0);
}

/* The sender calls nothing until the message is there. */
static void alone(void) {
  MPI_Win window;
  atomic_int* said = NULL;
  MPI_Aint size = 0;
  int unit = 0;
  GOOD(MPI_Win_allocate_shared(sizeof *said, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &said, &window));
  atomic_store(said, 0);
  GOOD(MPI_Win_shared_query(window, rank & ~1, &size, &unit, &said));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < LENGTHS; ++k) {
    if (rank % 2 == 0) {
      MPI_Request request;
      fill(out, lengths[k], k);
      GOOD(MPI_Isend(out, lengths[k], MPI_BYTE, other, TAG, MPI_COMM_WORLD, &request));
      while (atomic_load(said) != k + 1) sched_yield();
      GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
      one_way(0, lengths[k], 0, k, 0);
      atomic_store(said, k + 1);
    }
  }
  GOOD(MPI_Win_free(&window));
}

/* Half of a message is written when the refusal comes, or nothing. */
static void refuse(int error) {
  refusal = error;
  both_ways();
  too_short();
  refusal = 0;
}

/* A buffer of which the last quarter is no memory. */
static unsigned char* short_buffer(int bytes) {
  unsigned char* at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  CHECK(munmap(at + bytes / 4 * 3, (size_t)bytes / 4) == 0);
  return at;
}

static void missing(void) {
  enum { BYTES = 1024 * KIB };
  for (int turn = 0; turn < 10; ++turn) {
    const int sends = rank % 2 == 0;
    const int is_mine = sends == turn % 2;
    unsigned char* const at = is_mine ? short_buffer(BYTES) : sends ? out : in;
    if (sends) {
      GOOD(MPI_Send(at, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD));
    } else {
      FAILS(MPI_ERR_BUFFER, MPI_Recv(at, BYTES, MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    if (is_mine) CHECK(munmap(at, BYTES / 4 * 3) == 0);
  }
}

int main(int argc, char** argv) {
  int size = 0;
  CHECK(argc == 2);
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK(size % 2 == 0);
  other = rank ^ 1;
  out = malloc(MOST + GUARD);
  in = malloc(MOST + GUARD);
  CHECK(out != NULL && in != NULL);
  if (strcmp(argv[1], "plain") == 0) {
    both_ways();
    both_have_copied(size);
    too_short();
    alone();
  } else if (strcmp(argv[1], "unwritable") == 0) {
    both_ways();
    refuse(ENOMEM); /* is not remembered */
    both_ways();
    if (rank % 2 == 0)
      refuse(EPERM);
    else
      refuse(0);
    both_ways();
  } else {
    CHECK(strcmp(argv[1], "missing") == 0);
    missing();
    both_ways();
  }
  free(out);
  free(in);
  return end();
}
