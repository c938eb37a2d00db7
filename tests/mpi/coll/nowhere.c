/* A buffer that is no memory, which others were to read or which was to be written by one copy: its rank gets
 * MPI_ERR_BUFFER, and the others go on. */
#define _GNU_SOURCE
#include "../local/check.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kBytes = 1200000 };
static int rank, size;
static char data[kBytes];
static char* whole;
static char* nothing;

/* Whether ranks may read each other; where not, nothing is found out about an address. */
static int readable(void) {
  static int number = 7;
  struct {
    void* at;
    int pid;
  } of_root = {&number, (int)getpid()};
  int good, got = 0;
  GOOD(MPI_Bcast(&of_root, (int)sizeof of_root, MPI_BYTE, 0, MPI_COMM_WORLD));
  struct iovec to = {&got, sizeof got}, from = {of_root.at, sizeof got};
  good = process_vm_readv(of_root.pid, &to, 1, &from, 1, 0) == sizeof got && got == 7;
  GOOD(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
  return good;
}

static char* addresses_without_memory(void) {
  void* const at = mmap(NULL, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(at != MAP_FAILED);
  return at;
}

static int all_are(const char* at, char value) { return at[0] == value && memcmp(at, at + 1, kBytes - 1) == 0; }

/* Whose buffer it is hears of it. */
static void one_fails(int who, int code) {
  int class = MPI_SUCCESS;
  GOOD(MPI_Error_class(code, &class));
  CHECK(class == (rank == who ? MPI_ERR_BUFFER : MPI_SUCCESS));
}

static void next_is_right(void) {
  memset(data, rank == 0 ? 9 : 0, kBytes);
  GOOD(MPI_Bcast(data, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(all_are(data, 9));
}

static void returned(void) {
  memset(data, rank + 1, kBytes);
  one_fails(0, MPI_Bcast(rank == 0 ? nothing : data, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(all_are(data, rank == 0 ? 1 : 0));
  next_is_right();

  memset(data, rank + 1, kBytes);
  one_fails(1, MPI_Bcast(rank == 1 ? nothing : data, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(all_are(data, rank == 1 ? 2 : 1));
  next_is_right();

  memset(data, rank + 1, kBytes);
  one_fails(1, MPI_Gather(rank == 1 ? nothing : data, kBytes, MPI_CHAR, whole, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD));
  for (int k = 0; rank == 0 && k < size; ++k) {
    CHECK(all_are(whole + (size_t)k * kBytes, (char)(k == 1 ? 0 : k + 1)));
  }
  next_is_right();

  /* More go by shares, of which each reads its own part of its source. */
  if (size == 2) {
    for (int round = 0; round < 8; ++round) {
      memset(data, rank + 1, kBytes);
      one_fails(1, MPI_Reduce(rank == 1 ? nothing : data, whole, kBytes, MPI_CHAR, MPI_SUM, 0, MPI_COMM_WORLD));
      CHECK(rank != 0 || all_are(whole, 1));
    }
    next_is_right();
  }

  for (int k = 0; k < size; ++k) {
    memset(whole + (size_t)k * kBytes, k + 1, kBytes);
  }
  one_fails(1, MPI_Scatter(whole, kBytes, MPI_CHAR, rank == 1 ? nothing : data, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD));
  CHECK(all_are(data, (char)(rank == 1 ? 9 : rank + 1)));
  next_is_right();
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  whole = calloc((size_t)size, kBytes);
  nothing = addresses_without_memory();
  CHECK(whole != NULL);
  if (!readable()) {
    if (rank == 0) {
      fprintf(stderr, "not tried: ranks may not read each other; there is no memory at\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "source") == 0) {
    MPI_Bcast(rank == 0 ? nothing : data, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  } else if (strcmp(what, "target") == 0) {
    MPI_Bcast(rank == 1 ? nothing : data, kBytes, MPI_CHAR, 0, MPI_COMM_WORLD);
  } else {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    returned();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(whole);
  MPI_Finalize();
  if (strcmp(what, "") != 0) {
    return 1;
  }
  printf("rank %d is done\n", rank);
  return 0;
}
