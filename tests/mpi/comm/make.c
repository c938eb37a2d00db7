/* Communicators that are made of others: who is in them, in which order, what they take over, and that what is said in
   one is not heard in another. */
#include "../local/check.h"

static int rank, size;

/* The members are these ranks of MPI_COMM_WORLD in this order, and they hear each other. */
static void is_of(MPI_Comm comm, int n, const int* ranks) {
  int here, count;
  MPI_Group group, world;
  GOOD(MPI_Comm_rank(comm, &here));
  GOOD(MPI_Comm_size(comm, &count));
  CHECK(count == n && ranks[here] == rank);
  GOOD(MPI_Comm_group(comm, &group));
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &world));
  for (int k = 0; k < n; ++k) {
    int there = -1;
    GOOD(MPI_Group_translate_ranks(group, 1, &k, world, &there));
    CHECK(there == ranks[k]);
  }
  GOOD(MPI_Group_free(&group));
  GOOD(MPI_Group_free(&world));
  int* all = malloc((size_t)n * sizeof *all);
  CHECK(all != NULL);
  GOOD(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm));
  CHECK(memcmp(all, ranks, (size_t)n * sizeof *all) == 0);
  free(all);
}

static void is_world(MPI_Comm comm) {
  int ranks[64];
  for (int k = 0; k < size; ++k) {
    ranks[k] = k;
  }
  is_of(comm, size, ranks);
}

/* The members are the ranks of this one's node, of which their processors' names tell. */
static void is_node(MPI_Comm comm) {
  char own[MPI_MAX_PROCESSOR_NAME] = "";
  static char names[64][MPI_MAX_PROCESSOR_NAME];
  int length, ranks[64], n = 0;
  GOOD(MPI_Get_processor_name(own, &length));
  GOOD(MPI_Allgather(own, sizeof own, MPI_CHAR, names, sizeof own, MPI_CHAR, MPI_COMM_WORLD));
  for (int k = 0; k < size; ++k) {
    if (strcmp(names[k], own) == 0) {
      ranks[n++] = k;
    }
  }
  is_of(comm, n, ranks);
}

/* Of all of it: the ranks have two nodes or more. */
static int has_nodes(void) {
  int length, differs, all = 0;
  char own[MPI_MAX_PROCESSOR_NAME] = "", first[MPI_MAX_PROCESSOR_NAME];
  GOOD(MPI_Get_processor_name(own, &length));
  memcpy(first, own, sizeof own);
  GOOD(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD));
  differs = strcmp(first, own) != 0;
  GOOD(MPI_Allreduce(&differs, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  return all;
}

static int copied, deleted;
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}
static int refuse(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag;
  return MPI_ERR_OTHER;
}
static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void duplicates(void) {
  int key, here = 5, flag = 0, result = -1, length = -1;
  void* value = NULL;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm comm, again;
  MPI_Errhandler handler;
  GOOD(MPI_Comm_create_keyval(copy, forget, &key, NULL));
  GOOD(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &here));
  GOOD(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  CHECK(copied == 1 && deleted == 0);
  GOOD(MPI_Comm_get_attr(comm, key, &value, &flag));
  CHECK(flag && value == &here);
  GOOD(MPI_Comm_compare(MPI_COMM_WORLD, comm, &result));
  CHECK(result == MPI_CONGRUENT);
  GOOD(MPI_Comm_get_name(comm, name, &length));
  CHECK(length == 0);
  GOOD(MPI_Comm_get_errhandler(comm, &handler));
  CHECK(handler == MPI_ERRORS_RETURN);
  is_world(comm);
  GOOD(MPI_Comm_dup(comm, &again));
  GOOD(MPI_Comm_free(&comm));
  CHECK(comm == MPI_COMM_NULL && copied == 2 && deleted == 1);
  is_world(again);
  GOOD(MPI_Comm_free(&again));
  CHECK(deleted == 2);
  GOOD(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
  GOOD(MPI_Comm_free_keyval(&key));

  MPI_Info info, used;
  char text[16];
  int room = sizeof text;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
  GOOD(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
  GOOD(MPI_Comm_get_info(comm, &used));
  GOOD(MPI_Info_get_string(used, "mpi_assert_no_any_tag", &room, text, &flag));
  CHECK(flag && strcmp(text, "true") == 0);
  GOOD(MPI_Info_free(&used));
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Comm_free(&comm));

  // What was copied before another's function refused is removed again.
  int kept;
  MPI_Request request;
  GOOD(MPI_Comm_create_keyval(copy, forget, &kept, NULL));
  GOOD(MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL));
  GOOD(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  GOOD(MPI_Comm_set_attr(comm, kept, &here));
  GOOD(MPI_Comm_set_attr(comm, key, NULL));
  copied = deleted = 0;
  FAILS(MPI_ERR_OTHER, MPI_Comm_dup(comm, &again));
  CHECK(copied == 1 && deleted == 1);
  FAILS(MPI_ERR_OTHER, MPI_Comm_idup(comm, &again, &request));
  CHECK(copied == 2 && deleted == 2);
  GOOD(MPI_Comm_free(&comm));
  CHECK(deleted == 3);
  GOOD(MPI_Comm_free_keyval(&key));
  GOOD(MPI_Comm_free_keyval(&kept));
}

static void splits(void) {
  MPI_Comm comm;
  int ranks[64], n = 0;
  for (int k = size - 1; k >= 0; --k) {
    if (k % 3 == rank % 3) {
      ranks[n++] = k;
    }
  }
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &comm));
  is_of(comm, n, ranks);
  MPI_Comm half;
  GOOD(MPI_Comm_split(comm, rank == ranks[0] ? MPI_UNDEFINED : 1, 0, &half));
  CHECK((half == MPI_COMM_NULL) == (rank == ranks[0]));
  if (half != MPI_COMM_NULL) {
    is_of(half, n - 1, ranks + 1);
    GOOD(MPI_Comm_free(&half));
  }
  GOOD(MPI_Comm_free(&comm));
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
  is_node(comm);
  GOOD(MPI_Comm_free(&comm));
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm));
  CHECK((comm == MPI_COMM_NULL) == (rank == 0));
  if (comm != MPI_COMM_NULL) {
    GOOD(MPI_Comm_free(&comm));
  }
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm));
  CHECK((comm == MPI_COMM_NULL) == !has_nodes());
  if (comm != MPI_COMM_NULL) {
    is_node(comm);
    GOOD(MPI_Comm_free(&comm));
  }
  MPI_Info info;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory"));
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
  is_node(comm);
  GOOD(MPI_Comm_free(&comm));
  GOOD(MPI_Info_set(info, "mpi_hw_resource_type", "a toaster"));
  GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
  CHECK(comm == MPI_COMM_NULL);
  GOOD(MPI_Info_free(&info));
}

/* Even ranks backwards, odd ones forwards; by all, and by the members alone. */
static void groups(void) {
  MPI_Group world, mine;
  MPI_Comm comm;
  int ranks[64], n = 0;
  for (int k = 0; k < size; ++k) {
    const int next = rank % 2 == 0 ? size - 1 - k : k;
    if (next % 2 == rank % 2) {
      ranks[n++] = next;
    }
  }
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &world));
  GOOD(MPI_Group_incl(world, n, ranks, &mine));
  GOOD(MPI_Comm_create(MPI_COMM_WORLD, mine, &comm));
  is_of(comm, n, ranks);
  GOOD(MPI_Comm_free(&comm));
  if (rank % 2 == 0) {
    GOOD(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 17, &comm));
    is_of(comm, n, ranks);
    GOOD(MPI_Comm_free(&comm));
  }
  GOOD(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
  CHECK(comm == MPI_COMM_NULL);
  if (size > 1) {
    MPI_Comm self;
    GOOD(MPI_Comm_dup(MPI_COMM_SELF, &self));
    FAILS(MPI_ERR_GROUP, MPI_Comm_create(self, world, &comm));
    GOOD(MPI_Comm_free(&self));
  }
  GOOD(MPI_Group_free(&mine));
  GOOD(MPI_Group_free(&world));
}

/* More than there are stations for teams. */
static void many(void) {
  enum { kMany = 2000 };
  static MPI_Comm comms[kMany];
  for (int k = 0; k < kMany; ++k) {
    GOOD(MPI_Comm_dup(k < 2 ? MPI_COMM_WORLD : comms[k / 2], comms + k));
  }
  for (int k = 0; k < kMany; k += 7) {
    int sum = 0;
    GOOD(MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, comms[k]));
    CHECK(sum == k * size);
  }
  for (int k = 0; k < kMany; ++k) {
    GOOD(MPI_Comm_free(comms + k));
  }
}

static void mistakes(void) {
  MPI_Comm comm = MPI_COMM_WORLD, freed, other;
  FAILS(MPI_ERR_COMM, MPI_Comm_free(&comm));
  comm = MPI_COMM_NULL;
  FAILS(MPI_ERR_COMM, MPI_Comm_free(&comm));
  FAILS(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &comm));
  FAILS(MPI_ERR_ARG, MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm));
  FAILS(MPI_ERR_ARG, MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, MPI_INFO_NULL, &comm));
  GOOD(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  freed = comm;
  GOOD(MPI_Comm_free(&comm));
  FAILS(MPI_ERR_COMM, MPI_Comm_dup(freed, &other));
  FAILS(MPI_ERR_COMM, MPI_Barrier(freed));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  duplicates();
  splits();
  groups();
  many();
  mistakes();
  return end();
}
