/* The binary interface's version, integers for handles, and what C is told of Fortran. */
#include "check.h"

#define EXACT(word, type)                                          \
  do {                                                             \
    for (int value = 0; value < 0x400; ++value) {                  \
      CHECK(word##_toint(word##_fromint(value)) == value);         \
      CHECK(word##_fromint(value) == (type)(size_t)value);         \
      CHECK(word##_c2f(word##_f2c(value)) == value);               \
      CHECK(word##_f2c(value) == word##_fromint(value));           \
    }                                                              \
    CHECK(word##_toint(word##_fromint(0x7fffffff)) == 0x7fffffff); \
  } while (0)

static void statuses(void) {
  MPI_Fint integers[MPI_F_STATUS_SIZE], again[MPI_F_STATUS_SIZE];
  MPI_Status status, back;
  int count = -1;
  memset(&status, 0, sizeof status);
  status.MPI_SOURCE = 3;
  status.MPI_TAG = 4;
  status.MPI_ERROR = MPI_ERR_TRUNCATE;
  GOOD(MPI_Status_set_elements(&status, MPI_DOUBLE, 77));
  GOOD(MPI_Status_c2f(&status, integers));
  CHECK(integers[MPI_F_SOURCE] == 3 && integers[MPI_F_TAG] == 4 && integers[MPI_F_ERROR] == MPI_ERR_TRUNCATE);
  GOOD(MPI_Status_f2c(integers, &back));
  CHECK(memcmp(&status, &back, sizeof status) == 0);
  GOOD(MPI_Get_count(&back, MPI_DOUBLE, &count));
  CHECK(count == 77);
  GOOD(MPI_Status_c2f(&back, again));
  CHECK(memcmp(integers, again, sizeof integers) == 0);
}

int main(void) {
  int major = 0, minor = -1, set = -1, keys = 0, flag = 0, length = 8;
  int is_true = 1, is_false = 0, got_true = 7, got_false = 7;
  char value[8];
  MPI_Info info = MPI_INFO_NULL, again = MPI_INFO_NULL;
  GOOD(MPI_Abi_get_version(&major, &minor));
  CHECK(major == 1 && minor == 0);
  EXACT(MPI_Comm, MPI_Comm);
  EXACT(MPI_Errhandler, MPI_Errhandler);
  EXACT(MPI_File, MPI_File);
  EXACT(MPI_Group, MPI_Group);
  EXACT(MPI_Info, MPI_Info);
  EXACT(MPI_Message, MPI_Message);
  EXACT(MPI_Op, MPI_Op);
  EXACT(MPI_Request, MPI_Request);
  EXACT(MPI_Session, MPI_Session);
  EXACT(MPI_Type, MPI_Datatype);
  EXACT(MPI_Win, MPI_Win);

  begin();
  statuses();
  GOOD(MPI_Abi_get_info(&info));
  GOOD(MPI_Info_get_string(info, "mpi_aint_size", &length, value, &flag));
  CHECK(flag && atoi(value) == (int)sizeof(MPI_Aint));
  GOOD(MPI_Info_free(&info));

  GOOD(MPI_Abi_get_fortran_info(&info));
  CHECK(info == MPI_INFO_NULL);
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "mpi_integer_size", "4"));
  GOOD(MPI_Abi_set_fortran_info(info));
  FAILS(MPI_ERR_ABI, MPI_Abi_set_fortran_info(info));
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Abi_get_fortran_info(&again));
  GOOD(MPI_Info_get_nkeys(again, &keys));
  CHECK(keys == 1);
  GOOD(MPI_Info_free(&again));

  GOOD(MPI_Abi_get_fortran_booleans(4, &got_true, &got_false, &set));
  CHECK(set == 0 && got_true == 7);
  GOOD(MPI_Abi_set_fortran_booleans(4, &is_true, &is_false));
  FAILS(MPI_ERR_ABI, MPI_Abi_set_fortran_booleans(4, &is_true, &is_false));
  GOOD(MPI_Abi_get_fortran_booleans(4, &got_true, &got_false, &set));
  CHECK(set == 1 && got_true == 1 && got_false == 0);
  GOOD(MPI_Abi_get_fortran_booleans(8, &got_true, &got_false, &set));
  CHECK(set == 0);
  FAILS(MPI_ERR_ARG, MPI_Abi_set_fortran_booleans(3, &is_true, &is_false));
  FAILS(MPI_ERR_ARG, MPI_Abi_set_fortran_booleans(0, &is_true, &is_false));
  FAILS(MPI_ERR_ARG, MPI_Abi_set_fortran_booleans(1, NULL, &is_false));
  return end();
}
