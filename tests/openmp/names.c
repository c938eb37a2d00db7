// Names of later compilers than the one that compiles this: each by its node, as programs that are linked with those
// libraries ask for it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void* find(const char* name, const char* node) {
  void* const found = dlvsym(RTLD_DEFAULT, name, node);
  if (found == NULL) printf("there is no %s@%s\n", name, node);
  CHECK(found != NULL);
  return found;
}
#define FIND(type, name, node, arguments) type(*const name) arguments = find(#name, node)

static void allocations(void) {
  FIND(void*, GOMP_alloc, "GOMP_5.0.1", (size_t, size_t, uintptr_t));
  FIND(void, GOMP_free, "GOMP_5.0.1", (void*, uintptr_t));
  FIND(void, GOMP_add_alloc, "GOMP_5.1.2", (void*));
  FIND(bool, GOMP_is_alloc, "GOMP_5.1.2", (void*));
  void* blocks[20];
  for (int k = 0; k < 20; ++k) {
    blocks[k] = GOMP_alloc(64, 100, 0);
    GOMP_add_alloc(blocks[k]);
  }
  void* const other = malloc(100);
  int is = 0;
  int gone = 0;
  // By threads of other processes, too; and each once.
#pragma omp parallel for reduction(+ : is, gone) schedule(static, 1)
  for (int k = 0; k < 20; ++k) {
    is += GOMP_is_alloc(blocks[k]);
    gone += !GOMP_is_alloc(blocks[k]) && !GOMP_is_alloc(other);
  }
  CHECK(is == 20 && gone == 20);
  CHECK(!GOMP_is_alloc(NULL));
  GOMP_add_alloc(NULL);
  for (int k = 0; k < 20; ++k) GOMP_free(blocks[k], 0);
  free(other);
}

static void devices(void) {
  FIND(void*, GOMP_target_map_indirect_ptr, "GOMP_5.1.2", (void*));
  FIND(int, omp_target_is_accessible, "OMP_5.1.1", (const void*, size_t, int));
  FIND(const char*, omp_get_uid_from_device, "GOMP_6.0", (int));
  FIND(void, omp_get_uid_from_device_, "GOMP_6.0", (const char**, size_t*, int32_t));
  FIND(void, omp_get_uid_from_device_8_, "GOMP_6.0", (const char**, size_t*, int64_t));
  FIND(int, omp_get_device_from_uid, "GOMP_6.0", (const char*));
  FIND(int, omp_get_device_from_uid_, "GOMP_6.0", (const char*, size_t));
  FIND(void*, omp_target_memset, "GOMP_6.0.1", (void*, int, size_t, int));
  FIND(void*, omp_target_memset_async, "GOMP_6.0.1", (void*, int, size_t, int, int, omp_depend_t*));
  const int host = omp_get_initial_device();
  char bytes[9] = "........";
  CHECK(GOMP_target_map_indirect_ptr(bytes) == bytes);
  CHECK(omp_target_is_accessible(bytes, 9, host) && !omp_target_is_accessible(NULL, 9, host) &&
        !omp_target_is_accessible(bytes, 9, host + 1));
  CHECK(omp_target_memset(bytes, 'a', 3, host) == bytes && strcmp(bytes, "aaa.....") == 0);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_depend_t before;
#pragma omp depobj(before) depend(inout : bytes)
#pragma omp task depend(out : bytes)
    bytes[3] = 'b';
    CHECK(omp_target_memset_async(bytes + 4, 'c', 2, host, 1, &before) == bytes + 4);
#pragma omp taskwait
#pragma omp depobj(before) destroy
  }
  CHECK(strcmp(bytes, "aaabcc..") == 0);
  const char* const uid = omp_get_uid_from_device(host);
  CHECK(strcmp(uid, "OMP_INITIAL_DEVICE") == 0 && omp_get_device_from_uid(uid) == host);
  CHECK(omp_get_uid_from_device(host + 1) == NULL && omp_get_device_from_uid("another") == -4);
  const char* again = NULL;
  size_t length = 0;
  omp_get_uid_from_device_(&again, &length, host);
  CHECK(again == uid && length == strlen(uid) && omp_get_device_from_uid_(uid, length) == host);
  omp_get_uid_from_device_8_(&again, &length, host + 1);
  CHECK(again == NULL && length == 0 && omp_get_device_from_uid_(uid, 3) == -4);
}

int main(void) {
  allocations();
  devices();
  printf("all is right\n");
  return 0;
}
