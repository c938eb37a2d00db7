/* Functions that are to come say so once, and return MPI_ERR_UNSUPPORTED_OPERATION. */
#include "check.h"

#define SPAWN(made) \
  MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, made, MPI_ERRCODES_IGNORE)

static int calls;
static void count(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm == MPI_COMM_WORLD && *code == MPI_ERR_UNSUPPORTED_OPERATION);
  ++calls;
}

int main(void) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  int provided = 0;
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  begin();
  for (int k = 0; k < 3; ++k) {
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, SPAWN(&made));
    FAILS(MPI_ERR_UNSUPPORTED_OPERATION, MPI_File_close(&file));
  }
  GOOD(MPI_Comm_create_errhandler(count, &handler));
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler));
  GOOD(MPI_Errhandler_free(&handler));
  FAILS(MPI_ERR_UNSUPPORTED_OPERATION, SPAWN(&made));
  CHECK(calls == 1);
  return end();
}
