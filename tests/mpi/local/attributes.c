/* Attributes of communicators, and the keys that programs make. */
#include "check.h"

static int order[8], orders;
static int refuse;

static int remember(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval;
  CHECK(comm == MPI_COMM_SELF || comm == MPI_COMM_WORLD);
  CHECK(extra == &orders);
  if (refuse) return MPI_ERR_INTERN;
  order[orders++ % 8] = *(int*)value;
  return MPI_SUCCESS;
}

static void predefined(void) {
  int *value = NULL, flag = 0, size = 0;
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
  CHECK(flag && *value >= 32767);
  GOOD(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_HOST, &value, &flag));
  CHECK(flag && *value == MPI_PROC_NULL);
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
  CHECK(flag && *value == MPI_ANY_SOURCE);
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
  CHECK(flag && (*value == 0 || *value == 1));
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
  CHECK(flag && *value == size);
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
  CHECK(flag && *value >= 0);
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value, &flag));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WIN_BASE, &value, &flag));
  FAILS(MPI_ERR_ARG, MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL, &flag));
}

static void own(void) {
  static int one = 1, two = 2;
  int keyval = 0, copy = 0, flag = -1, *value = NULL;
  GOOD(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remember, &keyval, &orders));
  CHECK(keyval != MPI_KEYVAL_INVALID);
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag));
  CHECK(!flag);
  GOOD(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &one));
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag));
  CHECK(flag && value == &one);
  GOOD(MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &flag));
  CHECK(!flag);

  /* A new value takes the place of the old one, which is deleted; not where that fails. */
  GOOD(MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &two));
  CHECK(orders == 1 && order[0] == 1);
  refuse = 1;
  FAILS(MPI_ERR_INTERN, MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &one));
  FAILS(MPI_ERR_INTERN, MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval));
  refuse = 0;
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag));
  CHECK(flag && value == &two);

  /* A key that is freed is one as long as it is set, and may be freed again. Then it is none. */
  int last = keyval;
  copy = keyval;
  GOOD(MPI_Comm_free_keyval(&keyval));
  CHECK(keyval == MPI_KEYVAL_INVALID);
  GOOD(MPI_Comm_get_attr(MPI_COMM_WORLD, copy, &value, &flag));
  CHECK(flag && value == &two);
  GOOD(MPI_Comm_free_keyval(&copy));
  GOOD(MPI_Comm_delete_attr(MPI_COMM_WORLD, last));
  CHECK(orders == 2 && order[1] == 2);
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_get_attr(MPI_COMM_WORLD, last, &value, &flag));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&last));
  FAILS(MPI_ERR_KEYVAL, MPI_Comm_free_keyval(&keyval));

  GOOD(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, remember, &keyval, &orders));
  GOOD(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &one));
  GOOD(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval));
  CHECK(orders == 3 && order[2] == 1);
  GOOD(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval));
  CHECK(orders == 3);
  GOOD(MPI_Comm_free_keyval(&keyval));
}

/* What programs before MPI-2 call. */
static void old(void) {
  static int one = 1;
  int keyval = 0, flag = 0, *value = NULL;
  GOOD(MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &keyval, NULL));
  GOOD(MPI_Attr_put(MPI_COMM_WORLD, keyval, &one));
  GOOD(MPI_Attr_get(MPI_COMM_WORLD, keyval, &value, &flag));
  CHECK(flag && value == &one);
  GOOD(MPI_Attr_delete(MPI_COMM_WORLD, keyval));
  GOOD(MPI_Keyval_free(&keyval));
}

int main(void) {
  static int values[3] = {10, 11, 12};
  int keys[3];
  begin();
  predefined();
  own();
  old();
  /* MPI_Finalize deletes those of MPI_COMM_SELF, the last one first. */
  orders = 0;
  for (int k = 0; k < 3; ++k) {
    GOOD(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remember, &keys[k], &orders));
    GOOD(MPI_Comm_set_attr(MPI_COMM_SELF, keys[k], &values[k]));
  }
  const int code = end();
  CHECK(orders == 3 && order[0] == 12 && order[1] == 11 && order[2] == 10);
  return code;
}
