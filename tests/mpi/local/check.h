/* What the programs here have in common: a check that ends the program with a line. */
#ifndef WEFT_TESTS_MPI_CHECK_H
#define WEFT_TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#define GOOD(call)                                                                      \
  do {                                                                                  \
    const int good_code = (call);                                                       \
    if (good_code != MPI_SUCCESS) {                                                     \
      fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, good_code); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

/* The call fails with an error of that class. */
#define FAILS(error, call)                                                                               \
  do {                                                                                                   \
    int fails_class = -1;                                                                                \
    const int fails_code = (call);                                                                       \
    if (MPI_Error_class(fails_code, &fails_class) != MPI_SUCCESS || fails_class != (error)) {            \
      fprintf(stderr, "%s:%d: %s returned %d, not %s\n", __FILE__, __LINE__, #call, fails_code, #error); \
      exit(1);                                                                                           \
    }                                                                                                    \
  } while (0)

/* MPI begins, and errors are returned. */
static inline void begin(void) {
  GOOD(MPI_Init(NULL, NULL));
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

static inline int end(void) {
  int rank = -1;
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Finalize());
  printf("rank %d is done\n", rank);
  return 0;
}

#endif
