/* Collectives that move data, against what each rank reckons itself: sizes on both sides of the ways that the library
   has, datatypes with gaps, MPI_IN_PLACE, parts of different lengths, the large twins. */
#include "../local/check.h"

static int rank, size;
static MPI_Comm comm;

static int value(int from, int to, int k) { return from * 1000003 + to * 10007 + k; }

static int* ints(size_t n) {
  int* made = malloc((n + 1) * sizeof *made);
  CHECK(made != NULL);
  for (size_t k = 0; k <= n; ++k) {
    made[k] = -1;
  }
  return made;
}

static void broadcasts(int n) {
  int* buffer = ints((size_t)n);
  for (int root = 0; root < size; ++root) {
    for (int k = 0; k < n; ++k) {
      buffer[k] = rank == root ? value(root, 0, k) : -1;
    }
    GOOD(MPI_Bcast(buffer, n, MPI_INT, root, comm));
    for (int k = 0; k < n; ++k) {
      CHECK(buffer[k] == value(root, 0, k));
    }
    CHECK(buffer[n] == -1);
  }
  free(buffer);
}

static void gathers(int n, int in_place) {
  int* own = ints((size_t)n);
  int* all = ints((size_t)n * (size_t)size);
  for (int k = 0; k < n; ++k) {
    own[k] = value(rank, 0, k);
  }
  for (int root = 0; root < size; ++root) {
    const int here = rank == root;
    for (int k = 0; k < n * size; ++k) {
      all[k] = -1;
    }
    memcpy(all + rank * n, own, (size_t)n * sizeof(int));
    const void* from = here && in_place ? MPI_IN_PLACE : own;
    GOOD(MPI_Gather(from, here && in_place ? -7 : n, here && in_place ? MPI_DATATYPE_NULL : MPI_INT, here ? all : NULL,
                    here ? n : -1, here ? MPI_INT : MPI_DATATYPE_NULL, root, comm));
    for (int k = 0; here && k < n * size; ++k) {
      CHECK(all[k] == value(k / n, 0, k % n));
    }
    for (int k = 0; here && k < n * size; ++k) {
      all[k] = value(root, k / n, k % n);
    }
    int* mine = ints((size_t)n);
    GOOD(MPI_Scatter(here ? all : NULL, n, MPI_INT, here && in_place ? MPI_IN_PLACE : mine, n, MPI_INT, root, comm));
    for (int k = 0; k < n && !(here && in_place); ++k) {
      CHECK(mine[k] == value(root, rank, k));
    }
    free(mine);
  }
  for (int k = 0; k < n * size; ++k) {
    all[k] = k / (n == 0 ? 1 : n) == rank && in_place ? own[k % n] : -1;
  }
  GOOD(MPI_Allgather(in_place ? MPI_IN_PLACE : own, n, MPI_INT, all, n, MPI_INT, comm));
  for (int k = 0; k < n * size; ++k) {
    CHECK(all[k] == value(k / n, 0, k % n));
  }
  CHECK(all[n * size] == -1);
  free(own);
  free(all);
}

static void alltoalls(int n, int in_place) {
  int* from = ints((size_t)n * (size_t)size);
  int* to = ints((size_t)n * (size_t)size);
  for (int k = 0; k < n * size; ++k) {
    from[k] = value(rank, k / n, k % n);
  }
  if (in_place) {
    memcpy(to, from, (size_t)n * (size_t)size * sizeof(int));
  }
  GOOD(MPI_Alltoall(in_place ? MPI_IN_PLACE : from, n, MPI_INT, to, n, MPI_INT, comm));
  for (int k = 0; k < n * size; ++k) {
    CHECK(to[k] == value(k / n, rank, k % n));
  }
  free(from);
  free(to);
}

/* Rank k has k + extra elements, with a gap behind each part, the last one first. */
static void with_counts(int extra, int large) {
  int counts[64], displs[64];
  MPI_Count large_counts[64];
  MPI_Aint large_displs[64];
  int end = 0;
  for (int k = size - 1; k >= 0; --k) {
    large_counts[k] = counts[k] = k + extra;
    large_displs[k] = displs[k] = end;
    end += counts[k] + 1;
  }
  const int mine = rank + extra;
  int* own = ints((size_t)mine);
  int* all = ints((size_t)end);
  for (int k = 0; k < mine; ++k) {
    own[k] = value(rank, 0, k);
  }
  if (large) {
    GOOD(MPI_Allgatherv_c(own, mine, MPI_INT, all, large_counts, large_displs, MPI_INT, comm));
  } else {
    GOOD(MPI_Allgatherv(own, mine, MPI_INT, all, counts, displs, MPI_INT, comm));
  }
  for (int from = 0; from < size; ++from) {
    for (int k = 0; k < counts[from]; ++k) {
      CHECK(all[displs[from] + k] == value(from, 0, k));
    }
    CHECK(all[displs[from] + counts[from]] == -1);
  }
  const int root = size - 1;
  const int here = rank == root;
  for (int k = 0; k < end; ++k) {
    all[k] = -1;
  }
  if (large) {
    GOOD(MPI_Gatherv_c(own, mine, MPI_INT, here ? all : NULL, here ? large_counts : NULL, here ? large_displs : NULL,
                       MPI_INT, root, comm));
  } else {
    GOOD(MPI_Gatherv(own, mine, MPI_INT, here ? all : NULL, here ? counts : NULL, here ? displs : NULL, MPI_INT, root,
                     comm));
  }
  for (int from = 0; here && from < size; ++from) {
    for (int k = 0; k < counts[from]; ++k) {
      CHECK(all[displs[from] + k] == value(from, 0, k));
    }
    CHECK(all[displs[from] + counts[from]] == -1);
  }
  int* back = ints((size_t)mine);
  GOOD(MPI_Scatterv(all, counts, displs, here ? MPI_INT : MPI_DATATYPE_NULL, back, mine, MPI_INT, root, comm));
  CHECK(memcmp(back, own, (size_t)mine * sizeof(int)) == 0 && back[mine] == -1);
  free(own);
  free(all);
  free(back);
}

/* Rank a sends a + 2 * b + extra elements to rank b; in place as much as the two give together. */
static void alltoall_counts(int extra, int in_place, int by_types) {
  int sends[64], receives[64], send_at[64], receive_at[64];
  MPI_Datatype types[64];
  int send_end = 0, receive_end = 0;
  for (int k = 0; k < size; ++k) {
    sends[k] = in_place ? rank + k + extra : rank + 2 * k + extra;
    receives[k] = in_place ? rank + k + extra : k + 2 * rank + extra;
    send_at[k] = send_end;
    receive_at[k] = receive_end;
    send_end += sends[k] + 1;
    receive_end += receives[k] + 1;
    types[k] = MPI_INT;
  }
  int* from = ints((size_t)send_end);
  int* to = ints((size_t)receive_end);
  for (int b = 0; b < size; ++b) {
    for (int k = 0; k < sends[b]; ++k) {
      (in_place ? to : from)[send_at[b] + k] = value(rank, b, k);
    }
  }
  if (by_types) {
    int send_bytes[64], receive_bytes[64];
    for (int k = 0; k < size; ++k) {
      send_bytes[k] = send_at[k] * (int)sizeof(int);
      receive_bytes[k] = receive_at[k] * (int)sizeof(int);
    }
    GOOD(MPI_Alltoallw(in_place ? MPI_IN_PLACE : from, in_place ? NULL : sends, in_place ? NULL : send_bytes,
                       in_place ? NULL : types, to, receives, receive_bytes, types, comm));
  } else {
    GOOD(MPI_Alltoallv(in_place ? MPI_IN_PLACE : from, sends, send_at, in_place ? MPI_DATATYPE_NULL : MPI_INT, to,
                       receives, receive_at, MPI_INT, comm));
  }
  for (int a = 0; a < size; ++a) {
    for (int k = 0; k < receives[a]; ++k) {
      CHECK(to[receive_at[a] + k] == value(a, rank, k));
    }
    CHECK(to[receive_at[a] + receives[a]] == -1);
  }
  free(from);
  free(to);
}

/* Every other int of memory on one side, ints side by side on the other one. */
static void with_gaps(int n) {
  MPI_Datatype every_other, apart;
  GOOD(MPI_Type_vector(n, 1, 2, MPI_INT, &every_other));
  GOOD(MPI_Type_create_resized(every_other, 0, 2 * n * (MPI_Aint)sizeof(int), &apart));
  GOOD(MPI_Type_commit(&apart));
  int* wide = ints(2 * (size_t)n * (size_t)size);
  int* dense = ints((size_t)n * (size_t)size);
  for (int k = 0; k < n; ++k) {
    wide[2 * k] = rank == 0 ? value(0, 0, k) : -1;
  }
  GOOD(MPI_Bcast(wide, rank == 0 ? 1 : n, rank == 0 ? apart : MPI_INT, 0, comm));
  for (int k = 0; k < n && rank != 0; ++k) {
    CHECK(wide[k] == value(0, 0, k));
  }
  for (int k = 0; k < n * size; ++k) {
    dense[k] = value(rank, k / n, k % n);
  }
  for (int k = 0; k < 2 * n * size; ++k) {
    wide[k] = -1;
  }
  GOOD(MPI_Alltoall(dense, n, MPI_INT, wide, 1, apart, comm));
  for (int k = 0; k < n * size; ++k) {
    CHECK(wide[2 * k] == value(k / n, rank, k % n) && wide[2 * k + 1] == -1);
  }
  for (int k = 0; k < 2 * n * size; ++k) {
    wide[k] = k / (2 * n) == rank && k % 2 == 0 ? value(rank, 3, k / 2 % n) : -1;
  }
  GOOD(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, wide, 1, apart, comm));
  for (int k = 0; k < n * size; ++k) {
    CHECK(wide[2 * k] == value(k / n, 3, k % n) && wide[2 * k + 1] == -1);
  }
  GOOD(MPI_Scatter(wide, 1, apart, dense, n, MPI_INT, size - 1, comm));
  for (int k = 0; k < n; ++k) {
    CHECK(dense[k] == value(rank, 3, k));
  }
  for (int k = 0; k < 2 * n * size; ++k) {
    wide[k] = -1;
  }
  GOOD(MPI_Gather(dense, n, MPI_INT, wide, 1, apart, 0, comm));
  for (int k = 0; rank == 0 && k < n * size; ++k) {
    CHECK(wide[2 * k] == value(k / n, 3, k % n) && wide[2 * k + 1] == -1);
  }
  free(wide);
  free(dense);
  GOOD(MPI_Type_free(&every_other));
  GOOD(MPI_Type_free(&apart));
}

/* One address, and datatypes of different parts behind it. */
static void parts_of_one(void) {
  int memory[65] = {0};
  const MPI_Aint behind = sizeof(int);
  MPI_Datatype shifted, each;
  memory[0] = value(rank, 4, 0);
  GOOD(MPI_Type_create_hindexed_block(1, 1, &behind, MPI_INT, &shifted));
  GOOD(MPI_Type_create_resized(shifted, 0, sizeof(int), &each));
  GOOD(MPI_Type_commit(&each));
  GOOD(MPI_Allgather(memory, 1, MPI_INT, memory, 1, each, comm));
  for (int k = 0; k < size; ++k) {
    CHECK(memory[1 + k] == value(k, 4, 0));
  }
  GOOD(MPI_Type_free(&shifted));
  GOOD(MPI_Type_free(&each));
}

static void mistakes(void) {
  int x = 0, y[64] = {0};
  FAILS(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, size, comm));
  FAILS(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, -1, comm));
  FAILS(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, MPI_ROOT, comm));
  FAILS(MPI_ERR_COUNT, MPI_Bcast(&x, -1, MPI_INT, 0, comm));
  FAILS(MPI_ERR_TYPE, MPI_Bcast(&x, 1, MPI_DATATYPE_NULL, 0, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Bcast(NULL, 1, MPI_INT, 0, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm));
  FAILS(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
  FAILS(MPI_ERR_BUFFER, MPI_Allgather(y, 1, MPI_INT, y, 1, MPI_INT, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Alltoall(y, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm));
  /* This rank's own part is where the other buffer is, which has to be said by MPI_IN_PLACE. */
  int counts[64], displs[64];
  MPI_Datatype types[64];
  for (int k = 0; k < size; ++k) {
    counts[k] = 1;
    displs[k] = k;
    types[k] = MPI_INT;
  }
  FAILS(MPI_ERR_BUFFER, MPI_Allgather(y + rank, 1, MPI_INT, y, 1, MPI_INT, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Allgatherv(y + rank, 1, MPI_INT, y, counts, displs, MPI_INT, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Alltoallv(y, counts, displs, MPI_INT, y, counts, displs, MPI_INT, comm));
  FAILS(MPI_ERR_BUFFER, MPI_Alltoallw(y, counts, displs, types, y, counts, displs, types, comm));
  if (rank == size - 1 && getenv("SHMEM_DEBUG") == NULL) { /* safe mode looks whether all ranks make a call */
    FAILS(MPI_ERR_BUFFER, MPI_Gather(y + rank, 1, MPI_INT, y, 1, MPI_INT, rank, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Gatherv(y + rank, 1, MPI_INT, y, counts, displs, MPI_INT, rank, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Scatter(y, 1, MPI_INT, y + rank, 1, MPI_INT, rank, comm));
    FAILS(MPI_ERR_BUFFER, MPI_Scatterv(y, counts, displs, MPI_INT, y + rank, 1, MPI_INT, rank, comm));
  }
  FAILS(MPI_ERR_ARG, MPI_Allgatherv(&x, 1, MPI_INT, y, NULL, NULL, MPI_INT, comm));
  MPI_Datatype raw;
  GOOD(MPI_Type_contiguous(2, MPI_INT, &raw));
  FAILS(MPI_ERR_TYPE, MPI_Bcast(y, 1, raw, 0, comm));
  GOOD(MPI_Type_free(&raw));
  GOOD(MPI_Barrier(comm));
}

static void all_of(MPI_Comm with) {
  comm = with;
  GOOD(MPI_Comm_rank(comm, &rank));
  GOOD(MPI_Comm_size(comm, &size));
  const int lengths[] = {0, 1, 3, 14, 15, 56, 57, 100, 5000, 25000, 40000};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
    broadcasts(lengths[k]);
    for (int in_place = 0; in_place < 2; ++in_place) {
      gathers(lengths[k], in_place);
      alltoalls(lengths[k], in_place);
      alltoall_counts(lengths[k] / 4, in_place, 0);
      alltoall_counts(lengths[k] / 4, in_place, 1);
    }
    with_counts(lengths[k], 0);
    with_counts(lengths[k], 1);
    with_gaps(lengths[k] + 1);
  }
  parts_of_one();
}

/* That is a mistake, too, and no reason to write behind what the program says it has. On one machine: between several
   the message tells. */
static void more_than_there_is_room_for(size_t sent, size_t room) {
  MPI_Comm here;
  int n_here;
  GOOD(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
  GOOD(MPI_Comm_size(here, &n_here));
  GOOD(MPI_Comm_free(&here));
  if (n_here < size) {
    return;
  }
  char* const own = calloc((size_t)size, sent);
  char* const all = malloc((size_t)size * sent);
  CHECK(own != NULL && all != NULL);
  memset(all, 'x', (size_t)size * sent);
  (void)MPI_Alltoall(own, (int)sent, MPI_CHAR, all, (int)room, MPI_CHAR, comm);
  for (size_t k = (size_t)size * room; k < (size_t)size * sent; ++k) {
    CHECK(all[k] == 'x');
  }
  free(own);
  free(all);
}

int main(void) {
  begin();
  all_of(MPI_COMM_WORLD);
  all_of(MPI_COMM_SELF);
  MPI_Comm turned;
  int world_rank;
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &world_rank));
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &turned));
  all_of(turned);
  GOOD(MPI_Comm_free(&turned));
  comm = MPI_COMM_WORLD;
  GOOD(MPI_Comm_rank(comm, &rank));
  GOOD(MPI_Comm_size(comm, &size));
  mistakes();
  more_than_there_is_room_for(3000, 1500);
  more_than_there_is_room_for(20, 10);
  return end();
}
