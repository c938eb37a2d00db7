/* 0.12 The version and the name at run time are those of the header, and the name fits. */
#include "../check.h"

int main(void) {
  char name[SHMEM_MAX_NAME_LEN + 16];
  int major = -1, minor = -1;
  check_begin();
  shmem_info_get_version(&major, &minor);
  CHECK_EQ(major, SHMEM_MAJOR_VERSION, "major version");
  CHECK_EQ(minor, SHMEM_MINOR_VERSION, "minor version");
  CHECK_EQ(SHMEM_MAJOR_VERSION, 1, "the specification is 1.6");
  CHECK_EQ(SHMEM_MINOR_VERSION, 6, "the specification is 1.6");
  memset(name, 0x5a, sizeof name);
  shmem_info_get_name(name);
  CHECK(memchr(name, 0, SHMEM_MAX_NAME_LEN) != NULL, "no NUL within SHMEM_MAX_NAME_LEN");
  CHECK(memchr(name, 0, SHMEM_MAX_NAME_LEN) != NULL && strcmp(name, SHMEM_VENDOR_STRING) == 0, "'%.64s' is not '%s'",
        name, SHMEM_VENDOR_STRING);
  CHECK(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN, "%d bytes", (int)sizeof SHMEM_VENDOR_STRING);
  CHECK_EQ(name[SHMEM_MAX_NAME_LEN], 0x5a, "shmem_info_get_name wrote past SHMEM_MAX_NAME_LEN");
  return check_end();
}
