/* Messages of some pages whose senders wait for them. A receiver that has wanted two copies of such a size before gets
   the next ones unasked: those that it has room for and those that are too long, in one piece and in parts, looked for
   and found, and those that it then reads by one copy all the same. With an even number of ranks. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../local/check.h"

enum { MOST = 40000, GUARD = 64, TAG = 5, ROUNDS = 30 };
static const int lengths[] = {4096, 4097, 6143, 6144, 8192, 8193, 12288, 16384, 20001, 32767, 32768, 32769, MOST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static int rank, other;
static unsigned char out[MOST], in[2 * MOST + GUARD];
static int is_refused;

/* The call of the system stands here, so that it can be refused; with the error of a filter for one message only. */
ssize_t process_vm_readv(pid_t pid, const struct iovec* ours, unsigned long n_ours, const struct iovec* theirs,
                         unsigned long n_theirs, unsigned long flags) {
  if (is_refused && n_ours > 0 && ours[0].iov_len > GUARD) {
    errno = EPERM;
    return -1;
  }
  return syscall(SYS_process_vm_readv, pid, ours, n_ours, theirs, n_theirs, flags);
}

static unsigned char byte_of(int from, int k, int salt) { return (unsigned char)(from * 31 + k * 7 + k / 251 + salt); }

static void give(int bytes, int salt) {
  for (int k = 0; k < bytes; ++k) out[k] = byte_of(rank, k, salt);
  GOOD(MPI_Send(out, bytes, MPI_BYTE, other, TAG, MPI_COMM_WORLD));
  memset(out, 0xee, (size_t)bytes); /* it is the program's again */
}

/* Blocks of `block` bytes with as many between them. */
static void came(int bytes, int block, int salt) {
  for (int k = 0; k < bytes; ++k) CHECK(in[k / block * 2 * block + k % block] == byte_of(other, k, salt));
}

static void take(int bytes, int salt, int how) {
  MPI_Status status;
  int count = 0;
  memset(in, 0, sizeof in);
  if (how % 3 == 1) { /* it has come before it is received */
    GOOD(MPI_Probe(other, TAG, MPI_COMM_WORLD, &status));
  }
  if (how % 3 == 2 && bytes % 64 == 0) {
    MPI_Datatype type;
    GOOD(MPI_Type_vector(bytes / 64, 64, 128, MPI_BYTE, &type));
    GOOD(MPI_Type_commit(&type));
    GOOD(MPI_Recv(in, 1, type, other, TAG, MPI_COMM_WORLD, &status));
    GOOD(MPI_Type_free(&type));
    came(bytes, 64, salt);
  } else {
    GOOD(MPI_Recv(in, MOST, MPI_BYTE, other, TAG, MPI_COMM_WORLD, &status));
    came(bytes, bytes, salt);
    CHECK(in[bytes] == 0);
  }
  GOOD(MPI_Get_count(&status, MPI_BYTE, &count));
  CHECK(count == bytes);
}

static void one_way(int bytes, int salt) {
  for (int turn = 0; turn < 2; ++turn) {
    if (rank % 2 == turn) {
      give(bytes, salt);
    } else {
      take(bytes, salt, salt);
    }
  }
}

static void both_ways(int bytes, int salt) {
  memset(in, 0, sizeof in);
  for (int k = 0; k < bytes; ++k) out[k] = byte_of(rank, k, salt);
  GOOD(MPI_Sendrecv(out, bytes, MPI_BYTE, other, TAG, in, MOST, MPI_BYTE, other, TAG, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
  came(bytes, bytes, salt);
  CHECK(in[bytes] == 0);
}

/* What fits is received, and what comes behind it is whole. */
static void too_short(int bytes, int salt) {
  static const int rooms[] = {1, 2047, 2048, 2049, 4000};
  for (int turn = 0; turn < 2; ++turn) {
    for (int k = 0; k < 5; ++k) {
      if (rank % 2 == turn) {
        give(bytes, salt + k);
      } else {
        memset(in, 0, sizeof in);
        FAILS(MPI_ERR_TRUNCATE, MPI_Recv(in, rooms[k], MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        came(rooms[k], rooms[k], salt + k);
        CHECK(in[rooms[k]] == 0);
      }
    }
  }
}

int main(void) {
  int size = 0;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK(size % 2 == 0);
  other = rank ^ 1;
  for (int refused = 0; refused < 2; ++refused) {
    is_refused = refused; /* by one copy no more, from here on */
    for (int k = 0; k < LENGTHS; ++k) {
      for (int round = 0; round < ROUNDS; ++round) {
        one_way(lengths[k], round);
        both_ways(lengths[k], round + 1);
      }
      too_short(lengths[k], k);
      one_way(lengths[k], k);
    }
  }
  return end();
}
