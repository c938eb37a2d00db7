/* Duplicates that are made while messages go on: several at a time, of one that is freed meanwhile, between groups. */
#include "../local/check.h"

enum { kMany = 20 };

static int rank, size;

static void agree(MPI_Comm comm) {
  int sum = -1, result = -1;
  GOOD(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
  CHECK(result == MPI_CONGRUENT);
  GOOD(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size * (size - 1) / 2);
}

static void several(void) {
  MPI_Comm comms[kMany];
  MPI_Request requests[kMany];
  for (int k = 0; k < kMany; ++k) {
    GOOD(MPI_Comm_idup(MPI_COMM_WORLD, comms + k, requests + k));
  }
  MPI_Request wrong = requests[0];
  FAILS(MPI_ERR_REQUEST, MPI_Cancel(&wrong));
  FAILS(MPI_ERR_REQUEST, MPI_Request_free(&wrong));
  /* The last one first: each is complete by itself. */
  for (int k = kMany - 1; k >= 0; --k) {
    GOOD(MPI_Wait(requests + k, MPI_STATUS_IGNORE));
  }
  for (int k = 0; k < kMany; ++k) {
    agree(comms[k]);
    GOOD(MPI_Comm_free(comms + k));
  }
}

static int copied;
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

/* Nobody but rank 0 has called when it goes on; and the parent is gone before the child is there. */
static void meanwhile(void) {
  MPI_Comm parent, child;
  MPI_Request request;
  int key, here = 0, flag = 0;
  void* value = NULL;
  GOOD(MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
  GOOD(MPI_Comm_dup(MPI_COMM_WORLD, &parent));
  GOOD(MPI_Comm_set_attr(parent, key, &here));
  if (rank == 0) {
    GOOD(MPI_Comm_idup(parent, &child, &request));
    for (int to = 1; to < size; ++to) {
      GOOD(MPI_Send(&to, 1, MPI_INT, to, 3, MPI_COMM_WORLD));
    }
  } else {
    int heard = -1;
    GOOD(MPI_Recv(&heard, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(heard == rank);
    GOOD(MPI_Comm_idup(parent, &child, &request));
  }
  CHECK(copied == 1);
  GOOD(MPI_Comm_free(&parent));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  GOOD(MPI_Comm_get_attr(child, key, &value, &flag));
  CHECK(flag && value == &here);
  agree(child);
  GOOD(MPI_Comm_free(&child));
  GOOD(MPI_Comm_free_keyval(&key));
}

static void between_groups(void) {
  MPI_Comm half, inter, copy_of_it;
  MPI_Request request;
  int sum = -1, n = 0;
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half));
  GOOD(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter));
  GOOD(MPI_Comm_idup(inter, &copy_of_it, &request));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  GOOD(MPI_Comm_remote_size(inter, &n));
  const int one = 1;
  GOOD(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy_of_it));
  CHECK(sum == n);
  GOOD(MPI_Comm_free(&copy_of_it));
  GOOD(MPI_Comm_free(&inter));
  GOOD(MPI_Comm_free(&half));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  several();
  meanwhile();
  if (size > 1) {
    between_groups();
  }
  return end();
}
