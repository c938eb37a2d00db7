/* Making windows, and what is asked of them. */
#include "kinds.h"

static int rank, size;

static void attributes(struct made* made) {
  void* value = NULL;
  int flag = 0;
  const int flavors[KINDS] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE,
                              MPI_WIN_FLAVOR_SHARED, MPI_WIN_FLAVOR_SHARED, MPI_WIN_FLAVOR_DYNAMIC};
  GOOD(MPI_Win_get_attr(made->win, MPI_WIN_BASE, &value, &flag));
  CHECK(flag && (made->kind == DYNAMIC ? value == MPI_BOTTOM : value == made->base));
  GOOD(MPI_Win_get_attr(made->win, MPI_WIN_SIZE, &value, &flag));
  CHECK(flag && *(MPI_Aint*)value == (made->kind == DYNAMIC ? 0 : 1000));
  GOOD(MPI_Win_get_attr(made->win, MPI_WIN_DISP_UNIT, &value, &flag));
  CHECK(flag && *(int*)value == 1);
  GOOD(MPI_Win_get_attr(made->win, MPI_WIN_CREATE_FLAVOR, &value, &flag));
  CHECK(flag && *(int*)value == flavors[made->kind]);
  GOOD(MPI_Win_get_attr(made->win, MPI_WIN_MODEL, &value, &flag));
  CHECK(flag && *(int*)value == MPI_WIN_UNIFIED);
  FAILS(MPI_ERR_KEYVAL, MPI_Win_set_attr(made->win, MPI_WIN_BASE, NULL));
}

static int deleted;
static int delete_it(MPI_Win win, int keyval, void* value, void* extra) {
  (void)win;
  (void)keyval;
  CHECK(extra == &deleted && value == &size);
  ++deleted;
  return MPI_SUCCESS;
}

static void own_attributes(struct made* made, int* keyval) {
  void* value = NULL;
  int flag = 1;
  GOOD(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_it, keyval, &deleted));
  GOOD(MPI_Win_get_attr(made->win, *keyval, &value, &flag));
  CHECK(!flag);
  GOOD(MPI_Win_set_attr(made->win, *keyval, &size));
  GOOD(MPI_Win_get_attr(made->win, *keyval, &value, &flag));
  CHECK(flag && value == &size);
  GOOD(MPI_Win_delete_attr(made->win, *keyval));
  CHECK(deleted == 1);
  GOOD(MPI_Win_set_attr(made->win, *keyval, &size));
  GOOD(MPI_Win_free_keyval(keyval));
  CHECK(*keyval == MPI_KEYVAL_INVALID);
}

static void names(struct made* made) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Win_get_name(made->win, name, &length));
  CHECK(length == 0 && name[0] == '\0');
  GOOD(MPI_Win_set_name(made->win, "matrix"));
  GOOD(MPI_Win_get_name(made->win, name, &length));
  CHECK(length == 6 && strcmp(name, "matrix") == 0);
  GOOD(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
  CHECK(strcmp(name, "MPI_WIN_NULL") == 0);
  GOOD(MPI_Win_get_group(made->win, &group));
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &world));
  int alike = -1;
  GOOD(MPI_Group_compare(group, world, &alike));
  CHECK(alike == MPI_IDENT);
  GOOD(MPI_Group_free(&group));
  GOOD(MPI_Group_free(&world));

  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "accumulate_ordering", "raw,waw"));
  GOOD(MPI_Info_set(info, "same_size", "perhaps"));
  GOOD(MPI_Info_set(info, "no_such_key", "1"));
  GOOD(MPI_Win_set_info(made->win, info));
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Win_get_info(made->win, &info));
  int flag = 0, room = sizeof name;
  GOOD(MPI_Info_get_string(info, "accumulate_ordering", &room, name, &flag));
  CHECK(flag && strcmp(name, "raw,waw") == 0);
  room = sizeof name;
  GOOD(MPI_Info_get_string(info, "same_size", &room, name, &flag));
  CHECK(flag && strcmp(name, "false") == 0);
  room = sizeof name;
  GOOD(MPI_Info_get_string(info, "no_such_key", &room, name, &flag));
  CHECK(!flag);
  GOOD(MPI_Info_free(&info));
}

/* Where others' memory is, and that it is theirs. */
static void query(struct made* made) {
  MPI_Aint bytes = -1;
  int unit = -1;
  char* at = NULL;
  if (made->kind == DYNAMIC) {
    FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(made->win, 0, &bytes, &unit, &at));
    return;
  }
  made->base[7] = (char)(rank + 1);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < size; ++k) {
    GOOD(MPI_Win_shared_query(made->win, k, &bytes, &unit, &at));
    if (!is_near(k) || (made->kind == CREATED && bytes == 0)) { /* memory that was brought may be adopted or not */
      CHECK(bytes == 0 && at == NULL);
    } else {
      CHECK(bytes == 1000 && unit == 1 && at != NULL && at[7] == k + 1);
      if (k == rank) CHECK(at == made->base);
    }
  }
  if (made->kind == SHARED) {
    char* first = NULL;
    MPI_Aint wide = 0;
    GOOD(MPI_Win_shared_query(made->win, 0, &bytes, &unit, &first));
    CHECK(made->base == first + 1000L * rank);
    GOOD(MPI_Win_shared_query_c(made->win, MPI_PROC_NULL, &bytes, &wide, &at));
    CHECK(at == first && wide == 1);
  }
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
}

/* Parts of other sizes and units, of which some have none; communicators of some, in another order. */
static void uneven(void) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Comm reversed = MPI_COMM_NULL;
  double* base = NULL;
  MPI_Aint bytes = 0;
  int unit = 0, me = 0;
  GOOD(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &reversed));
  GOOD(MPI_Comm_rank(reversed, &me));
  int n = 0;
  GOOD(MPI_Comm_size(reversed, &n));
  if (has_kind(SHARED)) {
    GOOD(MPI_Win_allocate_shared(me % 2 ? 0 : 800, me % 2 ? 4 : 8, MPI_INFO_NULL, reversed, &base, &win));
  } else {
    GOOD(MPI_Win_allocate(me % 2 ? 0 : 800, me % 2 ? 4 : 8, MPI_INFO_NULL, reversed, &base, &win));
  }
  GOOD(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
  GOOD(MPI_Comm_free(&reversed)); /* a window needs it no longer */
  double value = 10 * rank;
  GOOD(MPI_Win_lock_all(0, win));
  for (int k = 0; k < n; ++k) {
    if (k % 2) {
      FAILS(MPI_ERR_RMA_RANGE, MPI_Put(&value, 1, MPI_DOUBLE, k, 0, 1, MPI_DOUBLE, win));
      GOOD(MPI_Put(&value, 0, MPI_DOUBLE, k, 0, 0, MPI_DOUBLE, win));
    } else {
      GOOD(MPI_Put(&value, 1, MPI_DOUBLE, k, 99 - me, 1, MPI_DOUBLE, win));
    }
  }
  GOOD(MPI_Win_unlock_all(win));
  GOOD(MPI_Win_fence(0, win));
  if (has_kind(SHARED)) {
    GOOD(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &base));
    CHECK(bytes == 800 && unit == 8 && base[99 - me] == value);
  }
  GOOD(MPI_Win_fence(0, win));
  GOOD(MPI_Win_free(&win));
}

/* Many at a time; they go in another order; their memory comes again. */
static void many(int count) {
  MPI_Win* wins = malloc((size_t)count * sizeof *wins);
  int** bases = malloc((size_t)count * sizeof *bases);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < count; ++k) GOOD(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &bases[k], &wins[k]));
    for (int k = 0; k < count; ++k) {
      const int value = rank * count + k;
      GOOD(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, wins[k]));
      GOOD(MPI_Put(&value, 1, MPI_INT, next, 3, 1, MPI_INT, wins[k]));
      GOOD(MPI_Win_unlock(next, wins[k]));
    }
    GOOD(MPI_Barrier(MPI_COMM_WORLD));
    for (int k = 0; k < count; ++k) CHECK(bases[k][3] == before * count + k);
    for (int k = 0; k < count; ++k) GOOD(MPI_Win_free(&wins[k * 7 % count]));
  }
  free(wins);
  free(bases);
}

/* More than the machine has: an error on all, and no end later. */
static void too_large(void) {
  MPI_Win win = MPI_WIN_NULL;
  char* base = NULL;
  const MPI_Aint huge = (MPI_Aint)1 << 46;
  FAILS(MPI_ERR_NO_MEM, MPI_Win_allocate(rank == 0 ? huge : 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  if (has_kind(SHARED))
    FAILS(MPI_ERR_NO_MEM, MPI_Win_allocate_shared(huge, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  FAILS(MPI_ERR_SIZE, MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  FAILS(MPI_ERR_DISP, MPI_Win_allocate(1, rank == size - 1 ? 0 : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  FAILS(MPI_ERR_ARG, MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  GOOD(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  GOOD(MPI_Win_free(&win));
}

/* What is large and was freed is the system's again: many of them one after another are no more than one. */
static void returned(void) {
  enum { BYTES = 32 << 20 };
  for (int k = 0; k < 40; ++k) {
    MPI_Win win = MPI_WIN_NULL;
    char* base = NULL;
    GOOD(MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    base[0] = base[BYTES - 1] = 1;
    GOOD(MPI_Win_free(&win));
  }
}

int main(void) {
  int keyval = 0;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int kind = 0; kind < KINDS; ++kind) {
    if (!has_kind((enum kind)kind)) continue;
    struct made made = make_kind((enum kind)kind, 1000, MPI_COMM_WORLD);
    deleted = 0;
    attributes(&made);
    own_attributes(&made, &keyval);
    names(&made);
    query(&made);
    free_kind(&made);
    CHECK(deleted == 2);
  }
  uneven();
  many(500);
  too_large();
  returned();
  return end();
}
