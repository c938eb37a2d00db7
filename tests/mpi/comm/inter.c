/* Intercommunicators: even ranks on one side, odd ones on the other, and what collectives do between them. */
#include "../local/check.h"

static int rank, size, local_rank, local_size, remote_size;
static int odd;
static MPI_Comm half, inter;

/* Rank k of the other group, in MPI_COMM_WORLD. */
static int there(int k) { return 2 * k + !odd; }

static void facts(void) {
  int flag = 0, n = -1, at = -1, result = -1;
  MPI_Group group;
  GOOD(MPI_Comm_test_inter(inter, &flag));
  CHECK(flag);
  GOOD(MPI_Comm_size(inter, &n));
  CHECK(n == local_size);
  GOOD(MPI_Comm_rank(inter, &at));
  CHECK(at == local_rank);
  GOOD(MPI_Comm_remote_size(inter, &n));
  CHECK(n == remote_size);
  GOOD(MPI_Comm_remote_group(inter, &group));
  GOOD(MPI_Group_size(group, &n));
  CHECK(n == remote_size);
  GOOD(MPI_Group_free(&group));
  MPI_Comm copy;
  GOOD(MPI_Comm_dup(inter, &copy));
  GOOD(MPI_Comm_compare(inter, copy, &result));
  CHECK(result == MPI_CONGRUENT);
  GOOD(MPI_Comm_free(&copy));
}

static void merged(int high) {
  MPI_Comm both;
  int n = -1, at = -1;
  GOOD(MPI_Intercomm_merge(inter, high, &both));
  GOOD(MPI_Comm_size(both, &n));
  GOOD(MPI_Comm_rank(both, &at));
  CHECK(n == size && at == (high ? remote_size : 0) + local_rank);
  int sum = 0;
  GOOD(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, both));
  CHECK(sum == size * (size - 1) / 2);
  GOOD(MPI_Comm_free(&both));
}

static void collectives(int n) {
  const int room = n * (size + local_size * remote_size); /* the reduce-scatter takes the most */
  int* own = malloc((size_t)room * sizeof *own);
  int* all = malloc((size_t)room * sizeof *all);
  CHECK(own != NULL && all != NULL);
  for (int k = 0; k < room; ++k) {
    own[k] = rank * 1000 + k;
    all[k] = -1;
  }
  GOOD(MPI_Barrier(inter));
  /* From the last odd rank to all even ones. */
  const int last = size / 2 - 1;
  const int root = odd ? (local_rank == last ? MPI_ROOT : MPI_PROC_NULL) : last;
  GOOD(MPI_Bcast(odd ? own : all, n, MPI_INT, root, inter));
  for (int k = 0; k < n && !odd; ++k) {
    CHECK(all[k] == (2 * last + 1) * 1000 + k);
  }
  GOOD(MPI_Allgather(own, n, MPI_INT, all, n, MPI_INT, inter));
  for (int k = 0; k < n * remote_size; ++k) {
    CHECK(all[k] == there(k / n) * 1000 + k % n);
  }
  GOOD(MPI_Alltoall(own, n, MPI_INT, all, n, MPI_INT, inter));
  for (int k = 0; k < n * remote_size; ++k) {
    CHECK(all[k] == there(k / n) * 1000 + local_rank * n + k % n);
  }
  int sum = 0;
  for (int k = 0; k < remote_size; ++k) {
    sum += there(k);
  }
  GOOD(MPI_Allreduce(own, all, n, MPI_INT, MPI_SUM, inter));
  for (int k = 0; k < n; ++k) {
    CHECK(all[k] == sum * 1000 + remote_size * k);
  }
  GOOD(MPI_Reduce(own, all, n, MPI_INT, MPI_SUM, root, inter));
  for (int k = 0; k < n && root == MPI_ROOT; ++k) {
    CHECK(all[k] == sum * 1000 + remote_size * k);
  }
  GOOD(MPI_Gather(own, n, MPI_INT, all, n, MPI_INT, root, inter));
  for (int k = 0; k < n * remote_size && root == MPI_ROOT; ++k) {
    CHECK(all[k] == there(k / n) * 1000 + k % n);
  }
  GOOD(MPI_Scatter(own, n, MPI_INT, all, n, MPI_INT, root, inter));
  for (int k = 0; k < n && !odd; ++k) {
    CHECK(all[k] == (2 * last + 1) * 1000 + local_rank * n + k);
  }
  int counts[64];
  for (int k = 0; k < local_size; ++k) {
    counts[k] = remote_size * n;
  }
  GOOD(MPI_Reduce_scatter(own, all, counts, MPI_INT, MPI_SUM, inter));
  for (int k = 0; k < remote_size * n; ++k) {
    CHECK(all[k] == sum * 1000 + remote_size * (local_rank * remote_size * n + k));
  }
  free(own);
  free(all);
}

static void parts(void) {
  MPI_Comm part;
  GOOD(MPI_Comm_split(inter, local_rank == 0 ? 3 : MPI_UNDEFINED, 0, &part));
  CHECK((part == MPI_COMM_NULL) == (local_rank != 0));
  if (part != MPI_COMM_NULL) {
    int n = -1, other = -1;
    GOOD(MPI_Comm_remote_size(part, &n));
    CHECK(n == 1);
    GOOD(MPI_Allgather(&rank, 1, MPI_INT, &other, 1, MPI_INT, part));
    CHECK(other == !odd);
    GOOD(MPI_Comm_free(&part));
  }
  GOOD(MPI_Comm_split(inter, odd, 0, &part));
  CHECK(part == MPI_COMM_NULL);

  /* Over several machines a part is those of one, or nothing where only one group has ranks there. */
  MPI_Comm machine;
  int world_size = -1, machine_size = -1;
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &world_size));
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  GOOD(MPI_Comm_size(machine, &machine_size));
  GOOD(MPI_Comm_free(&machine));

  int n = -1, got = -1;
  GOOD(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, -local_rank, MPI_INFO_NULL, &part));
  if (machine_size < world_size && part != MPI_COMM_NULL) {
    int here = -1;
    GOOD(MPI_Comm_size(part, &here));
    GOOD(MPI_Comm_remote_size(part, &n));
    CHECK(here + n == machine_size);
    GOOD(MPI_Comm_free(&part));
  } else if (machine_size == world_size) {
    CHECK(part != MPI_COMM_NULL);
    GOOD(MPI_Comm_remote_size(part, &n));
    CHECK(n == remote_size);
    GOOD(MPI_Comm_rank(part, &n));
    CHECK(n == local_size - 1 - local_rank);
    GOOD(MPI_Bcast(n == 0 && odd ? &rank : &got, 1, MPI_INT, odd ? (n == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, part));
    CHECK(odd || got == 2 * remote_size - 1);
    GOOD(MPI_Comm_free(&part));
  }
  GOOD(MPI_Comm_split_type(inter, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part));
  CHECK(part == MPI_COMM_NULL || machine_size < world_size);
  if (part != MPI_COMM_NULL) {
    GOOD(MPI_Comm_free(&part));
  }
  GOOD(MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part));
  CHECK(part == MPI_COMM_NULL);
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  if (size == 1) {
    FAILS(MPI_ERR_COMM, MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &inter));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 0, &inter));
    FAILS(MPI_ERR_RANK, MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 0, 0, &inter));
    return end();
  }
  odd = rank % 2;
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half));
  GOOD(MPI_Comm_rank(half, &local_rank));
  GOOD(MPI_Comm_size(half, &local_size));
  remote_size = size - local_size;
  GOOD(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 12, &inter));
  facts();
  merged(odd);
  merged(!odd);
  collectives(1);
  collectives(3000);
  parts();
  FAILS(MPI_ERR_COMM, MPI_Scan(&rank, &size, 1, MPI_INT, MPI_SUM, inter));
  GOOD(MPI_Comm_free(&inter));
  GOOD(MPI_Comm_free(&half));
  return end();
}
