/* Windows of each kind, as the tests here run on all of them. */
#ifndef WEFT_TESTS_MPI_WIN_KINDS_H
#define WEFT_TESTS_MPI_WIN_KINDS_H

#include "../local/check.h"

enum kind { CREATED, CREATED_SHARED, ALLOCATED, SHARED, SHARED_APART, DYNAMIC, KINDS };

struct made {
  MPI_Win win;
  enum kind kind;
  char* base;
  MPI_Aint at;      /* where displacements begin: 0, or of a dynamic window the address at the target */
  MPI_Aint* all_at; /* of each rank */
};

/* Does the rank share memory with this one? */
static inline int is_near(int rank) {
  static MPI_Comm near = MPI_COMM_NULL;
  MPI_Group all, here;
  int found = MPI_UNDEFINED;
  if (near == MPI_COMM_NULL) {
    GOOD(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
  }
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &all));
  GOOD(MPI_Comm_group(near, &here));
  GOOD(MPI_Group_translate_ranks(all, 1, &rank, here, &found));
  GOOD(MPI_Group_free(&all));
  GOOD(MPI_Group_free(&here));
  return found != MPI_UNDEFINED;
}

/* All ranks have that kind: ranks of several nodes share no memory. All call it before a window is made. */
static inline int has_kind(enum kind kind) {
  int size = 0, all = 1;
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  for (int k = 0; k < size; ++k) all = is_near(k) && all;
  return all || (kind != SHARED && kind != SHARED_APART);
}

/* A window of so many bytes on each rank, cleared, whose displacements are bytes. */
static inline struct made make_kind(enum kind kind, MPI_Aint bytes, MPI_Comm comm) {
  struct made made = {MPI_WIN_NULL, kind, NULL, 0, NULL};
  MPI_Info info = MPI_INFO_NULL;
  int size = 0;
  GOOD(MPI_Comm_size(comm, &size));
  switch (kind) {
    case CREATED:
      CHECK((made.base = malloc((size_t)bytes)) != NULL);
      GOOD(MPI_Win_create(made.base, bytes, 1, MPI_INFO_NULL, comm, &made.win));
      break;
    case CREATED_SHARED:
      GOOD(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &made.base));
      GOOD(MPI_Win_create(made.base, bytes, 1, MPI_INFO_NULL, comm, &made.win));
      break;
    case ALLOCATED: GOOD(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &made.base, &made.win)); break;
    case SHARED: GOOD(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm, &made.base, &made.win)); break;
    case SHARED_APART:
      GOOD(MPI_Info_create(&info));
      GOOD(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
      GOOD(MPI_Win_allocate_shared(bytes, 1, info, comm, &made.base, &made.win));
      GOOD(MPI_Info_free(&info));
      break;
    default:
      CHECK((made.base = malloc((size_t)bytes)) != NULL);
      GOOD(MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &made.win));
      GOOD(MPI_Win_attach(made.win, made.base, bytes));
      GOOD(MPI_Get_address(made.base, &made.at));
  }
  memset(made.base, 0, (size_t)bytes);
  made.all_at = malloc((size_t)size * sizeof *made.all_at);
  GOOD(MPI_Allgather(&made.at, 1, MPI_AINT, made.all_at, 1, MPI_AINT, comm));
  GOOD(MPI_Win_set_errhandler(made.win, MPI_ERRORS_RETURN));
  return made;
}

static inline void free_kind(struct made* made) {
  if (made->kind == DYNAMIC) GOOD(MPI_Win_detach(made->win, made->base));
  GOOD(MPI_Win_free(&made->win));
  CHECK(made->win == MPI_WIN_NULL);
  if (made->kind == CREATED || made->kind == DYNAMIC) free(made->base);
  if (made->kind == CREATED_SHARED) GOOD(MPI_Free_mem(made->base));
  free(made->all_at);
}

#endif
