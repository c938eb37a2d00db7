/* Many windows: what each takes beside its memory, of the rank's own and of what ranks share. */
#include <malloc.h>

#include "kinds.h"

enum { WINDOWS = 200, FEW = 8, MOST = 1024 };

static int rank, size;

/* For a few ranks. Sanitizers have allocators of their own, of which this says nothing. */
static void weigh(int is_first) {
  static MPI_Win windows[WINDOWS];
  static char* parts[WINDOWS];
  const size_t before = mallinfo2().uordblks;
  for (int k = 0; k < WINDOWS; ++k) {
    GOOD(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &parts[k], &windows[k]));
  }
  const size_t own = (mallinfo2().uordblks - before) / WINDOWS;
  /* They lie one behind the other, but where a hole was. */
  size_t shared = SIZE_MAX;
  for (int k = 1; k < WINDOWS; ++k) {
    const size_t apart = (size_t)(parts[k] > parts[k - 1] ? parts[k] - parts[k - 1] : parts[k - 1] - parts[k]) - 64;
    shared = apart < shared ? apart : shared;
  }
  if (!is_first && size <= FEW && own + shared > MOST) {
    fprintf(stderr, "rank %d: a window of %d ranks takes %zu bytes and %zu that ranks share\n", rank, size, own,
            shared);
    CHECK(own + shared <= MOST);
  }
  /* Each of them is one. */
  for (int k = 0; k < WINDOWS; ++k) {
    const int right = (rank + 1) % size;
    const char letter = (char)(k + rank);
    GOOD(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, windows[k]));
    GOOD(MPI_Put(&letter, 1, MPI_CHAR, right, 3, 1, MPI_CHAR, windows[k]));
    GOOD(MPI_Win_unlock(right, windows[k]));
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < WINDOWS; ++k) {
    CHECK(parts[k][3] == (char)(k + (rank + size - 1) % size));
  }
  for (int k = 0; k < WINDOWS; ++k) {
    if (k % 2 == 0) {
      GOOD(MPI_Win_fence(0, windows[k]));
    }
    GOOD(MPI_Win_free(&windows[k]));
  }
  /* What is kept from the first ones on is used again. */
  const size_t after = mallinfo2().uordblks;
  CHECK(is_first || after < before + WINDOWS * sizeof(void*));
}

int main(int argc, char** argv) {
  GOOD(MPI_Init(&argc, &argv));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  weigh(1);
  weigh(0);
  printf("rank %d is done\n", rank);
  GOOD(MPI_Finalize());
  return 0;
}
