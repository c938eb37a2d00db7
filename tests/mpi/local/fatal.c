/* The end that an error makes by default, or that is asked for; the argument says which. */
#include "check.h"

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int size = 0;
  MPI_Comm address = (MPI_Comm)(void*)&size;
  if (strcmp(what, "early") == 0) MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Init(&argc, &argv);
  printf("has begun\n");
  if (strcmp(what, "handle") == 0) MPI_Comm_size(address, &size);
  if (strcmp(what, "kind") == 0) MPI_Comm_size((MPI_Comm)MPI_INT, &size);
  if (strcmp(what, "null") == 0) MPI_Comm_rank(MPI_COMM_WORLD, NULL);
  if (strcmp(what, "twice") == 0) MPI_Init(NULL, NULL);
  if (strcmp(what, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 42);
  if (strcmp(what, "errors_abort") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ABORT);
    MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_INTERN);
  }
  MPI_Finalize();
  if (strcmp(what, "late") == 0) MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(what, "again") == 0) MPI_Init(NULL, NULL);
  fprintf(stderr, "goes on\n");
  return 0;
}
