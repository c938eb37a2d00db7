/* Start, end, threads, memory, names. */
#include "check.h"

#include <pthread.h>
#include <stdint.h>

static void* other_thread(void* unused) {
  int is_main = -1;
  GOOD(MPI_Is_thread_main(&is_main));
  CHECK(is_main == 0);
  return unused;
}

static void memory(void) {
  void* block = NULL;
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Alloc_mem(1000, MPI_INFO_NULL, &block));
  CHECK(block != NULL);
  memset(block, 1, 1000);
  GOOD(MPI_Free_mem(block));
  FAILS(MPI_ERR_BASE, MPI_Free_mem(block));
  FAILS(MPI_ERR_BASE, MPI_Free_mem(&info));
  FAILS(MPI_ERR_ARG, MPI_Alloc_mem(-1, MPI_INFO_NULL, &block));
  FAILS(MPI_ERR_ARG, MPI_Alloc_mem(1, MPI_INFO_NULL, NULL));
  FAILS(MPI_ERR_NO_MEM, MPI_Alloc_mem((MPI_Aint)1 << 60, MPI_INFO_NULL, &block));
  GOOD(MPI_Alloc_mem(0, MPI_INFO_NULL, &block));
  GOOD(MPI_Free_mem(block));
  GOOD(MPI_Info_create(&info));
  GOOD(MPI_Info_set(info, "mpi_minimum_memory_alignment", "65536"));
  GOOD(MPI_Alloc_mem(10, info, &block));
  CHECK((uintptr_t)block % 65536 == 0);
  GOOD(MPI_Free_mem(block));
  GOOD(MPI_Info_free(&info));
}

static void names(void) {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING];
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0, keys = 0;
  MPI_Info info = MPI_INFO_NULL;
  GOOD(MPI_Get_processor_name(name, &length));
  CHECK(length > 0 && (size_t)length == strlen(name));
  GOOD(MPI_Get_library_version(version, &length));
  CHECK(strncmp(version, "Weft ", 5) == 0 && (size_t)length == strlen(version));
  GOOD(MPI_Get_hw_resource_info(&info));
  GOOD(MPI_Info_get_nkeys(info, &keys));
  CHECK(keys > 0);
  GOOD(MPI_Info_free(&info));
  const double before = MPI_Wtime();
  CHECK(MPI_Wtime() >= before && MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
  GOOD(MPI_Pcontrol(1, "anything"));
}

int main(int argc, char** argv) {
  int flag = -1, version = 0, subversion = -1, provided = -1;
  pthread_t thread;
  GOOD(MPI_Initialized(&flag));
  CHECK(flag == 0);
  GOOD(MPI_Finalized(&flag));
  CHECK(flag == 0);
  GOOD(MPI_Get_version(&version, &subversion));
  CHECK(version == 5 && subversion == 0);

  GOOD(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
  CHECK(provided == MPI_THREAD_MULTIPLE);
  GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  GOOD(MPI_Initialized(&flag));
  CHECK(flag == 1);
  GOOD(MPI_Query_thread(&provided));
  CHECK(provided == MPI_THREAD_MULTIPLE);
  GOOD(MPI_Is_thread_main(&flag));
  CHECK(flag == 1);
  CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
  /* Errors of no object are MPI_COMM_WORLD's for a program that has set only that one's handler. */
  memory();
  names();
  const int code = end();
  GOOD(MPI_Initialized(&flag));
  CHECK(flag == 1);
  GOOD(MPI_Finalized(&flag));
  CHECK(flag == 1);
  return code;
}
