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
