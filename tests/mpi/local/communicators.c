/* What MPI_COMM_WORLD and MPI_COMM_SELF are, without any communication; and statuses, addresses. */
#include "check.h"

static void who(void) {
  int size = 0, rank = -1, result = -1, flag = -1;
  MPI_Group world = MPI_GROUP_NULL, self = MPI_GROUP_NULL;
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  CHECK(rank >= 0 && rank < size);
  GOOD(MPI_Comm_group(MPI_COMM_WORLD, &world));
  GOOD(MPI_Comm_group(MPI_COMM_SELF, &self));
  int here = 0, there = -1;
  GOOD(MPI_Group_translate_ranks(self, 1, &here, world, &there));
  CHECK(there == rank);
  GOOD(MPI_Group_free(&world));
  GOOD(MPI_Group_free(&self));
  GOOD(MPI_Comm_size(MPI_COMM_SELF, &there));
  CHECK(there == 1);
  GOOD(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
  CHECK(result == MPI_IDENT);
  GOOD(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result));
  CHECK(result == (size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
  GOOD(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
  CHECK(flag == 0);
  FAILS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_WORLD, &size));
  FAILS(MPI_ERR_COMM, MPI_Comm_remote_group(MPI_COMM_SELF, &world));
}

static void names(void) {
  char name[MPI_MAX_OBJECT_NAME], longer[2 * MPI_MAX_OBJECT_NAME];
  int length = 0;
  GOOD(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
  CHECK(strcmp(name, "MPI_COMM_SELF") == 0 && length == 13);
  GOOD(MPI_Comm_set_name(MPI_COMM_WORLD, "all of us"));
  GOOD(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(strcmp(name, "all of us") == 0 && length == 9);
  memset(longer, 'x', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  GOOD(MPI_Comm_set_name(MPI_COMM_WORLD, longer));
  GOOD(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(length == MPI_MAX_OBJECT_NAME - 1 && strlen(name) == MPI_MAX_OBJECT_NAME - 1);
  FAILS(MPI_ERR_ARG, MPI_Comm_set_name(MPI_COMM_WORLD, NULL));
}

static void hints(void) {
  MPI_Info info = MPI_INFO_NULL;
  char value[8];
  int length = sizeof value, flag = 0;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
  GOOD(MPI_Info_set(info, "mpi_assert_exact_length", "perhaps"));
  GOOD(MPI_Info_set(info, "color", "blue"));
  GOOD(MPI_Comm_set_info(MPI_COMM_WORLD, info));
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Comm_get_info(MPI_COMM_WORLD, &info));
  GOOD(MPI_Info_get_string(info, "mpi_assert_no_any_tag", &length, value, &flag));
  CHECK(flag && strcmp(value, "true") == 0);
  length = sizeof value;
  GOOD(MPI_Info_get_string(info, "mpi_assert_exact_length", &length, value, &flag));
  CHECK(flag && strcmp(value, "false") == 0);
  GOOD(MPI_Info_get_string(info, "color", &length, value, &flag));
  CHECK(!flag);
  GOOD(MPI_Info_free(&info));
  GOOD(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL));
}

static void statuses(void) {
  MPI_Status status;
  int value = -1;
  memset(&status, 0, sizeof status);
  GOOD(MPI_Status_set_source(&status, 3));
  GOOD(MPI_Status_set_tag(&status, 4));
  GOOD(MPI_Status_set_error(&status, MPI_ERR_TRUNCATE));
  CHECK(status.MPI_SOURCE == 3 && status.MPI_TAG == 4 && status.MPI_ERROR == MPI_ERR_TRUNCATE);
  GOOD(MPI_Status_get_source(&status, &value));
  CHECK(value == 3);
  GOOD(MPI_Status_get_tag(&status, &value));
  CHECK(value == 4);
  GOOD(MPI_Status_get_error(&status, &value));
  CHECK(value == MPI_ERR_TRUNCATE);
  GOOD(MPI_Test_cancelled(&status, &value));
  CHECK(value == 0);
  GOOD(MPI_Status_set_cancelled(&status, 1));
  GOOD(MPI_Test_cancelled(&status, &value));
  CHECK(value == 1);
  FAILS(MPI_ERR_ARG, MPI_Status_set_tag(NULL, 1));
  FAILS(MPI_ERR_ARG, MPI_Status_get_tag(MPI_STATUS_IGNORE, &value));
}

static void addresses(void) {
  static char array[100];
  MPI_Aint first = 0, last = 0;
  GOOD(MPI_Get_address(array, &first));
  GOOD(MPI_Get_address(array + 99, &last));
  CHECK(MPI_Aint_diff(last, first) == 99 && MPI_Aint_add(first, 99) == last);
  CHECK((char*)first == array);
}

int main(void) {
  begin();
  who();
  names();
  hints();
  statuses();
  addresses();
  return end();
}
