// Teams, target on the host, allocators, places, and what routines tell.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(c)                             \
  do {                                       \
    if (!(c)) {                              \
      printf("line %d: %s\n", __LINE__, #c); \
      exit(1);                               \
    }                                        \
  } while (0)

#include <dlfcn.h>
#include <string.h>

// Of later compilers than the one that builds this.
static void later(void) {
  void* (*mapped)(const void*, int) = (void* (*)(const void*, int))dlsym(RTLD_DEFAULT, "omp_get_mapped_ptr");
  int (*copy)(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*) =
      (int (*)(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*))dlsym(
          RTLD_DEFAULT, "omp_target_memcpy_async");
  int (*explicit_task)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_in_explicit_task");
  CHECK(mapped != NULL && copy != NULL && explicit_task != NULL);
  int from = 5;
  CHECK(mapped(&from, 0) == &from && mapped(&from, 3) == NULL);
#ifndef __clang__  // whose depend objects are made for LLVM's library of targets
  int to = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_depend_t objects[1];
#pragma omp depobj(objects[0]) depend(inout : from)
#pragma omp task depend(out : from) shared(from)
    {
      CHECK(explicit_task());
      from = 6;
    }
    CHECK(copy(&to, &from, sizeof to, 0, 0, 0, 0, 1, objects) == 0);
#pragma omp depobj(objects[0]) destroy
    CHECK(to == 6 && !explicit_task());
  }
#endif
}

int main(void) {
  later();
  int count = 0;
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : count)
  {
    CHECK(omp_get_num_teams() == 3 && omp_get_team_num() < 3);
#pragma omp distribute parallel for reduction(+ : count)
    for (int i = 0; i < 30; i++) {
      CHECK(omp_get_num_threads() <= 2);
      count++;
    }
  }
  CHECK(count == 30);
  int copy = 7;
#pragma omp target map(tofrom : count) firstprivate(copy)
  {
    count++;
    copy++;
    CHECK(omp_get_level() == 0 && omp_is_initial_device());
  }
  CHECK(count == 31 && copy == 7);
#pragma omp target teams distribute parallel for map(tofrom : count) reduction(+ : count)
  for (int i = 0; i < 9; i++) count++;
  CHECK(count == 40 && omp_get_num_devices() == 0);

  omp_alloctrait_t traits[3] = {
      {omp_atk_alignment, 256}, {omp_atk_pool_size, 8192}, {omp_atk_fallback, omp_atv_null_fb}};
  omp_allocator_handle_t own = omp_init_allocator(omp_default_mem_space, 3, traits);
  CHECK(own != omp_null_allocator);
  char* a = omp_alloc(4096, own);
  CHECK(a != NULL && (unsigned long)a % 256 == 0);
  CHECK(omp_alloc(4096, own) == NULL);
  omp_free(a, own);
  a = omp_calloc(10, 100, own);
  CHECK(a != NULL && a[0] == 0 && a[999] == 0);
  strcpy(a, "kept");
  a = omp_realloc(a, 3000, own, own);
  CHECK(a != NULL && strcmp(a, "kept") == 0);
  omp_free(a, own);
  omp_destroy_allocator(own);
  traits[0].value = 3;
  CHECK(omp_init_allocator(omp_default_mem_space, 1, traits) == omp_null_allocator);
  a = omp_aligned_alloc(512, 1024, omp_null_allocator);
  CHECK(a != NULL && (unsigned long)a % 512 == 0);
  omp_free(a, omp_null_allocator);

  CHECK(omp_get_thread_limit() > 0 && omp_get_supported_active_levels() > 0 && omp_get_num_procs() > 0);
  omp_set_schedule(omp_sched_guided, 5);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_guided && chunk == 5);
  char text[64];
  CHECK(omp_capture_affinity(text, sizeof text, "%0.4n|%{num_threads}|%.3L") == 10 && strcmp(text, "0000|1|  0") == 0);
  const double begin = omp_get_wtime();
  CHECK(omp_get_wtime() >= begin && omp_get_wtick() > 0);
#pragma omp parallel num_threads(3)
  CHECK(omp_get_place_num() < omp_get_num_places() || omp_get_num_places() == 0);
  CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
#pragma omp parallel num_threads(3) reduction(+ : count)
  count++;
  CHECK(count == 43);
  printf("all is right\n");
  return 0;
}
