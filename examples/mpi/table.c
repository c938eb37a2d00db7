/* A hash table whose slots lie at all ranks, in which any rank inserts and finds without the others' help.
 *
 *   weft-mpicc table.c -o table && mpiexec -n 4 ./table
 *
 * A slot is a key and a value of 64 bits. Who inserts takes the first free slot behind the key's own with
 * MPI_Compare_and_swap, and adds to the value with MPI_Accumulate: two ranks that insert one key meet at one slot, and
 * nothing is lost. The epoch of MPI_Win_lock_all lasts from the start to the end, MPI_Win_flush completes what is
 * needed. Each rank counts how often it met each of 500 numbers; together the table must have all of them.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 512, NUMBERS = 500, DRAWS = 4000 }; /* slots of each rank: the table is never full */

struct slot {
  int64_t key; /* 0: free */
  int64_t value;
};

static int rank, size;
static MPI_Win window;

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

/* Where the key is, or where it was put now: the number of a slot among all ranks' slots. */
static uint64_t place_of(int64_t key) {
  const uint64_t slots = (uint64_t)SLOTS * (uint64_t)size;
  const int64_t nothing = 0;
  for (uint64_t k = 0; k < slots; ++k) {
    const uint64_t slot = (mixed((uint64_t)key) + k) % slots;
    int64_t found;
    MPI_Compare_and_swap(&key, &nothing, &found, MPI_INT64_T, (int)(slot / SLOTS),
                         (MPI_Aint)(slot % SLOTS * sizeof(struct slot)), window);
    MPI_Win_flush((int)(slot / SLOTS), window);
    if (found == 0 || found == key) {
      return slot;
    }
  }
  fprintf(stderr, "rank %d: the table is full\n", rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return 0;
}

static void add(int64_t key, int64_t value) {
  const uint64_t slot = place_of(key);
  MPI_Accumulate(&value, 1, MPI_INT64_T, (int)(slot / SLOTS),
                 (MPI_Aint)(slot % SLOTS * sizeof(struct slot) + offsetof(struct slot, value)), 1, MPI_INT64_T, MPI_SUM,
                 window);
  MPI_Win_flush_local((int)(slot / SLOTS), window); /* `value` may be used again */
}

static int64_t value_of(int64_t key) {
  const uint64_t slot = place_of(key);
  int64_t value;
  MPI_Get(&value, 1, MPI_INT64_T, (int)(slot / SLOTS),
          (MPI_Aint)(slot % SLOTS * sizeof(struct slot) + offsetof(struct slot, value)), 1, MPI_INT64_T, window);
  MPI_Win_flush((int)(slot / SLOTS), window);
  return value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  struct slot* mine;
  MPI_Win_allocate(SLOTS * sizeof *mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  for (int k = 0; k < SLOTS; ++k) {
    mine[k] = (struct slot){0, 0};
  }
  MPI_Barrier(MPI_COMM_WORLD); /* all slots are free before the first one is taken */
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);

  uint64_t draw = (uint64_t)rank + 1;
  for (int k = 0; k < DRAWS; ++k) {
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    add(1 + (int64_t)((draw >> 33) % NUMBERS), 1);
  }

  MPI_Win_flush_all(window);
  MPI_Barrier(MPI_COMM_WORLD); /* all have added, and what they added has arrived */
  int64_t met = 0;
  for (int64_t key = 1 + rank; key <= NUMBERS; key += size) {
    met += value_of(key);
  }
  MPI_Win_unlock_all(window);

  int64_t all = 0;
  MPI_Reduce(&met, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  const int ok = all == (int64_t)DRAWS * size;
  if (rank == 0) {
    printf("%d numbers, met %lld times: %s\n", NUMBERS, (long long)all, ok ? "none is lost" : "WRONG");
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return rank == 0 && !ok;
}
