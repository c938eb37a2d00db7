/* Error handlers, classes, codes and strings. */
#include "check.h"

static int calls;
static int last_code;
static MPI_Comm last_comm;

static void count(MPI_Comm* comm, int* code, ...) {
  ++calls;
  last_comm = *comm;
  last_code = *code;
}

/* A handler may call MPI, and set another handler. */
static void change(MPI_Comm* comm, int* code, ...) {
  int size = 0;
  (void)code;
  ++calls;
  GOOD(MPI_Comm_size(*comm, &size));
  GOOD(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
}

static void handlers(void) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  MPI_Errhandler again = MPI_ERRHANDLER_NULL;
  int size = 0;

  GOOD(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
  CHECK(got == MPI_ERRORS_RETURN);
  GOOD(MPI_Errhandler_free(&got));
  CHECK(got == MPI_ERRHANDLER_NULL);

  GOOD(MPI_Comm_create_errhandler(count, &made));
  CHECK(made != MPI_ERRHANDLER_NULL && (size_t)made >= 0x1000);
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, made));
  GOOD(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
  CHECK(got == made);
  GOOD(MPI_Errhandler_free(&made));
  CHECK(made == MPI_ERRHANDLER_NULL);
  GOOD(MPI_Errhandler_free(&got));

  /* It goes on being called, and is got again. */
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
  CHECK(calls == 1 && last_code == MPI_ERR_ARG && last_comm == MPI_COMM_WORLD);
  GOOD(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER));
  CHECK(calls == 2 && last_code == MPI_ERR_OTHER);
  GOOD(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &again));
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_SELF, again));
  GOOD(MPI_Errhandler_free(&again));
  CHECK(MPI_Comm_size(MPI_COMM_SELF, NULL) == MPI_ERR_ARG);
  CHECK(calls == 3 && last_comm == MPI_COMM_SELF);
  /* An error of no object is MPI_COMM_SELF's. */
  CHECK(MPI_Comm_size(MPI_COMM_NULL, &size) == MPI_ERR_COMM);
  CHECK(calls == 4 && last_code == MPI_ERR_COMM && last_comm == MPI_COMM_SELF);

  GOOD(MPI_Comm_create_errhandler(change, &made));
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, made));
  GOOD(MPI_Errhandler_free(&made));
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
  CHECK(calls == 5);
  CHECK(MPI_Comm_size(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
  CHECK(calls == 5);
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));

  FAILS(MPI_ERR_ARG, MPI_Comm_create_errhandler(NULL, &made));
  FAILS(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL));
  got = MPI_ERRHANDLER_NULL;
  FAILS(MPI_ERR_ERRHANDLER, MPI_Errhandler_free(&got));
  FAILS(MPI_ERR_ARG, MPI_Comm_call_errhandler(MPI_COMM_WORLD, 12345));
}

/* More are added and removed than there are numbers, in a time that does not grow with their number. */
static void add_and_remove(void) {
  int own_class = 0, own_code[64], found = 0;
  for (int round = 0; round < 20000; ++round) {
    GOOD(MPI_Add_error_class(&own_class));
    for (int k = 0; k < 64; ++k) GOOD(MPI_Add_error_code(own_class, &own_code[k]));
    GOOD(MPI_Error_class(own_code[63], &found));
    CHECK(found == own_class);
    if (round == 0) FAILS(MPI_ERR_ARG, MPI_Remove_error_class(own_class));
    for (int k = 0; k < 64; ++k) GOOD(MPI_Remove_error_code(own_code[k]));
    GOOD(MPI_Remove_error_class(own_class));
  }
  FAILS(MPI_ERR_ARG, MPI_Remove_error_code(own_code[0]));
}

static void codes(void) {
  int own_class = 0, own_code = 0, found = 0, flag = 0, length = 0;
  int* last = NULL;
  char text[MPI_MAX_ERROR_STRING];

  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
  CHECK(flag && *last >= MPI_ERR_LASTCODE);
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    GOOD(MPI_Error_class(code, &found));
    CHECK(found == code);
    GOOD(MPI_Error_string(code, text, &length));
    CHECK(length > 0 && length < MPI_MAX_ERROR_STRING && (size_t)length == strlen(text));
  }
  GOOD(MPI_Error_string(MPI_ERR_TRUNCATE, text, &length));
  CHECK(strncmp(text, "MPI_ERR_TRUNCATE: ", 18) == 0);

  GOOD(MPI_Add_error_class(&own_class));
  CHECK(own_class > MPI_ERR_LASTCODE && *last == own_class);
  GOOD(MPI_Add_error_code(own_class, &own_code));
  CHECK(own_code > own_class && *last == own_code);
  GOOD(MPI_Error_class(own_code, &found));
  CHECK(found == own_class);
  GOOD(MPI_Error_string(own_code, text, &length));
  CHECK(length == 0 && text[0] == '\0');
  GOOD(MPI_Add_error_string(own_code, "the reactor is too warm"));
  GOOD(MPI_Error_string(own_code, text, &length));
  CHECK(strcmp(text, "the reactor is too warm") == 0 && length == 23);
  CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, own_code) == MPI_SUCCESS);

  /* MPI_SUCCESS is a class as well, says the standard's table. */
  int fine;
  GOOD(MPI_Add_error_code(MPI_SUCCESS, &fine));
  GOOD(MPI_Error_class(fine, &found));
  CHECK(fine > own_code && found == MPI_SUCCESS);
  FAILS(MPI_ERR_ARG, MPI_Remove_error_class(fine));
  GOOD(MPI_Remove_error_code(fine));

  FAILS(MPI_ERR_ARG, MPI_Add_error_code(own_code, &found));
  FAILS(MPI_ERR_ARG, MPI_Add_error_code(-1, &found));
  FAILS(MPI_ERR_ARG, MPI_Add_error_string(MPI_ERR_ARG, "not mine"));
  FAILS(MPI_ERR_ARG, MPI_Error_class(own_code + 1000, &found));
  FAILS(MPI_ERR_ARG, MPI_Error_string(-7, text, &length));

  FAILS(MPI_ERR_ARG, MPI_Remove_error_class(own_class));
  FAILS(MPI_ERR_ARG, MPI_Remove_error_code(own_code)); /* its string is to go first */
  GOOD(MPI_Remove_error_string(own_code));
  FAILS(MPI_ERR_ARG, MPI_Remove_error_string(own_code));
  GOOD(MPI_Add_error_string(own_code, "")); /* one without a letter is a string too */
  FAILS(MPI_ERR_ARG, MPI_Remove_error_code(own_code));
  GOOD(MPI_Remove_error_string(own_code));
  GOOD(MPI_Remove_error_code(own_code));
  FAILS(MPI_ERR_ARG, MPI_Remove_error_code(own_code));
  FAILS(MPI_ERR_ARG, MPI_Remove_error_code(own_class));
  GOOD(MPI_Add_error_string(own_class, "a class"));
  FAILS(MPI_ERR_ARG, MPI_Remove_error_class(own_class)); /* likewise */
  GOOD(MPI_Remove_error_string(own_class));
  GOOD(MPI_Remove_error_class(own_class));
  FAILS(MPI_ERR_ARG, MPI_Remove_error_class(MPI_ERR_ARG));
  FAILS(MPI_ERR_ARG, MPI_Error_class(own_class, &found));
}

int main(void) {
  begin();
  handlers();
  codes();
  add_and_remove();
  return end();
}
