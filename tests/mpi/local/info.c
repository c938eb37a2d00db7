/* Info objects. */
#include "check.h"

static void pairs(void) {
  MPI_Info info = MPI_INFO_NULL, copy = MPI_INFO_NULL;
  char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
  int n = -1, flag = -1, length = -1;

  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_get_nkeys(info, &n));
  CHECK(n == 0);
  GOOD(MPI_Info_set(info, "first", "1"));
  GOOD(MPI_Info_set(info, "second", "twenty-two"));
  GOOD(MPI_Info_set(info, "first", "one"));
  GOOD(MPI_Info_get_nkeys(info, &n));
  CHECK(n == 2);
  GOOD(MPI_Info_get_nthkey(info, 1, key));
  CHECK(strcmp(key, "second") == 0);

  GOOD(MPI_Info_get(info, "first", MPI_MAX_INFO_VAL - 1, value, &flag));
  CHECK(flag && strcmp(value, "one") == 0);
  GOOD(MPI_Info_get(info, "second", 3, value, &flag));
  CHECK(flag && strcmp(value, "twe") == 0);
  GOOD(MPI_Info_get(info, "third", 3, value, &flag));
  CHECK(!flag);
  GOOD(MPI_Info_get_valuelen(info, "second", &length, &flag));
  CHECK(flag && length == 10);

  length = 4;
  GOOD(MPI_Info_get_string(info, "second", &length, value, &flag));
  CHECK(flag && length == 11 && strcmp(value, "twe") == 0);
  length = 0;
  GOOD(MPI_Info_get_string(info, "second", &length, NULL, &flag));
  CHECK(flag && length == 11);
  GOOD(MPI_Info_get_string(info, "second", &length, value, &flag));
  CHECK(flag && strcmp(value, "twenty-two") == 0);
  length = 5;
  GOOD(MPI_Info_get_string(info, "third", &length, value, &flag));
  CHECK(!flag && length == 5);

  GOOD(MPI_Info_dup(info, &copy));
  CHECK(copy != info);
  GOOD(MPI_Info_delete(info, "first"));
  GOOD(MPI_Info_get_nthkey(copy, 0, key));
  CHECK(strcmp(key, "first") == 0);
  FAILS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "first"));
  FAILS(MPI_ERR_ARG, MPI_Info_get_nthkey(info, 1, key));
  FAILS(MPI_ERR_ARG, MPI_Info_get_nthkey(info, -1, key));
  FAILS(MPI_ERR_ARG, MPI_Info_get(info, "second", -1, value, &flag));
  GOOD(MPI_Info_free(&copy));
  CHECK(copy == MPI_INFO_NULL);
  FAILS(MPI_ERR_INFO, MPI_Info_free(&copy));
  copy = info;
  GOOD(MPI_Info_free(&info));
  FAILS(MPI_ERR_INFO, MPI_Info_get_nkeys(copy, &n));
}

static void limits(void) {
  MPI_Info info = MPI_INFO_NULL;
  char key[MPI_MAX_INFO_KEY + 1], *value = malloc(MPI_MAX_INFO_VAL + 1);
  int length = MPI_MAX_INFO_VAL, flag = 0;
  char got[MPI_MAX_INFO_VAL];
  CHECK(value != NULL);
  memset(key, 'k', sizeof key);
  memset(value, 'v', MPI_MAX_INFO_VAL + 1);
  key[MPI_MAX_INFO_KEY] = value[MPI_MAX_INFO_VAL] = '\0';
  GOOD(MPI_Info_create(&info));
  FAILS(MPI_ERR_INFO_KEY, MPI_Info_set(info, key, "v"));
  FAILS(MPI_ERR_INFO_KEY, MPI_Info_set(info, "", "v"));
  FAILS(MPI_ERR_INFO_VALUE, MPI_Info_set(info, "k", value));
  FAILS(MPI_ERR_ARG, MPI_Info_set(info, NULL, "v"));
  FAILS(MPI_ERR_ARG, MPI_Info_set(info, "k", NULL));
  key[MPI_MAX_INFO_KEY - 1] = value[MPI_MAX_INFO_VAL - 1] = '\0';
  GOOD(MPI_Info_set(info, key, value));
  GOOD(MPI_Info_get_string(info, key, &length, got, &flag));
  CHECK(flag && length == MPI_MAX_INFO_VAL && strcmp(got, value) == 0);
  GOOD(MPI_Info_free(&info));
  free(value);
}

static void environment(void) {
  MPI_Info info = MPI_INFO_NULL;
  char value[MPI_MAX_INFO_VAL], name[] = "./a.out", one[] = "one", two[] = "two";
  char* argv[] = {name, one, two, NULL};
  int length = sizeof value, flag = 0, size = 0;

  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  GOOD(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &length, value, &flag));
  CHECK(flag && atoi(value) == size);
  length = sizeof value;
  GOOD(MPI_Info_get_string(MPI_INFO_ENV, "command", &length, value, &flag));
  CHECK(flag && strstr(value, "info") != NULL);
  length = sizeof value;
  GOOD(MPI_Info_get_string(MPI_INFO_ENV, "thread_level", &length, value, &flag));
  CHECK(flag && strcmp(value, "MPI_THREAD_SINGLE") == 0);
  FAILS(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_ENV, "maxprocs", "7"));
  info = MPI_INFO_ENV;
  FAILS(MPI_ERR_INFO, MPI_Info_free(&info));

  GOOD(MPI_Info_create_env(3, argv, &info));
  length = sizeof value;
  GOOD(MPI_Info_get_string(info, "command", &length, value, &flag));
  CHECK(flag && strcmp(value, "./a.out") == 0);
  length = sizeof value;
  GOOD(MPI_Info_get_string(info, "argv", &length, value, &flag));
  CHECK(flag && strcmp(value, "one two") == 0);
  GOOD(MPI_Info_free(&info));
}

int main(void) {
  /* Before MPI_Init too. */
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "k", "v"));
  GOOD(MPI_Info_free(&info));
  begin();
  pairs();
  limits();
  environment();
  const int code = end();
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_free(&info));
  return code;
}
