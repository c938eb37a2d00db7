// What routines set before a region holds in all of its threads, in whichever process; what a thread sets in it is its
// own.
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { kPool = 64 * 1024, kBlock = 1000 };

// Of all threads together, no more than the pool has.
static void use_pool(omp_allocator_handle_t pool) {
  static void* blocks[256];
  int taken = 0;
#pragma omp parallel for reduction(+ : taken) schedule(static, 1)
  for (int k = 0; k < 256; ++k) {
    CHECK(omp_get_default_allocator() == pool);
    blocks[k] = omp_alloc(kBlock, omp_null_allocator);
    taken += blocks[k] != NULL;
    if (blocks[k] != NULL) ((char*)blocks[k])[kBlock - 1] = 1;
  }
  CHECK(taken > 32 && taken * kBlock <= kPool);
#pragma omp parallel for schedule(static, 3)
  for (int k = 0; k < 256; ++k) omp_free(blocks[k], omp_null_allocator);
  void* const most = omp_alloc(kPool - 200, pool);
  CHECK(most != NULL);
  omp_free(most, pool);
}

// What a region's threads set holds in the process of each, and process 0's in all from the next region on.
static void set_formats_inside(void) {
  static int processes[64];
  char long_format[600];
  memset(long_format, 'x', sizeof long_format - 1);
  long_format[sizeof long_format - 1] = '\0';
  for (int round = 0; round < 50; ++round) {
    omp_set_affinity_format("outside %n");
#pragma omp parallel
    {
      const int mine = omp_get_thread_num();
      char place[40], expected[40];
      processes[mine % 64] = (int)getpid();
#pragma omp barrier
      if (mine == 0) {
        omp_set_affinity_format("inside A %n");
        omp_set_affinity_format("inside B %n");
        if (round % 2 != 0) omp_set_affinity_format(long_format);
        omp_set_affinity_format("inside CC %n");
      }
#pragma omp barrier
      omp_capture_affinity(place, sizeof place, NULL);
      snprintf(expected, sizeof expected, "%s %d", processes[mine % 64] == processes[0] ? "inside CC" : "outside",
               mine);
      CHECK(strcmp(place, expected) == 0);
#pragma omp barrier
      if (mine == omp_get_num_threads() - 1) omp_set_affinity_format("last %n");
#pragma omp barrier
      omp_capture_affinity(place, sizeof place, NULL);
      if (processes[mine % 64] == processes[(omp_get_num_threads() - 1) % 64]) {
        snprintf(expected, sizeof expected, "last %d", mine);
        CHECK(strcmp(place, expected) == 0);
      }
    }
    char now[40];
    omp_get_affinity_format(now, sizeof now);
#pragma omp parallel
    {
      char place[40];
      CHECK(omp_get_affinity_format(place, sizeof place) == strlen(now) && strcmp(place, now) == 0);
    }
  }
}

int main(void) {
  const omp_alloctrait_t traits[] = {{omp_atk_pool_size, kPool}, {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, traits);
  const int threads = omp_get_max_threads() + 1;
  omp_set_dynamic(0);
  omp_set_num_threads(threads);
  omp_set_schedule(omp_sched_guided, 7);
  omp_set_max_active_levels(3);
  omp_set_default_device(5);
  omp_set_num_teams(3);
  omp_set_teams_thread_limit(9);
  omp_set_default_allocator(pool);
  omp_set_affinity_format("is %n of %N");
  int seen = 0, inner = 0;
#pragma omp parallel reduction(+ : seen, inner)
  {
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_guided && chunk == 7 && omp_get_max_active_levels() == 3 && !omp_get_dynamic());
    CHECK(omp_get_max_threads() == threads && omp_get_num_threads() == threads && omp_get_default_device() == 5);
    CHECK(omp_get_max_teams() == 3 && omp_get_teams_thread_limit() == 9 && omp_get_default_allocator() == pool);
    char place[40], expected[40];
    snprintf(expected, sizeof expected, "is %d of %d", omp_get_thread_num(), threads);
    omp_capture_affinity(place, sizeof place, NULL);
    CHECK(strcmp(place, expected) == 0);
    CHECK(omp_get_affinity_format(place, sizeof place) == 11 && strcmp(place, "is %n of %N") == 0);
    ++seen;
#pragma omp barrier
    const int mine = omp_get_thread_num();
    omp_set_num_threads(2 + mine % 2);
    omp_set_schedule(omp_sched_dynamic, 10 + mine);
    omp_set_max_active_levels(2 + mine);
    omp_set_dynamic(1);
    omp_set_default_allocator(omp_default_mem_alloc);
    omp_set_dynamic(0);
#pragma omp barrier
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_dynamic && chunk == 10 + mine && omp_get_max_active_levels() == 2 + mine);
    CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
#pragma omp parallel reduction(+ : inner)
    {
      CHECK(omp_get_num_threads() == 2 + mine % 2 && omp_get_max_active_levels() == 2 + mine);
      ++inner;
    }
#pragma omp task shared(inner) firstprivate(mine)
    CHECK(omp_get_max_threads() == 2 + mine % 2);
  }
  CHECK(seen == threads && inner == 2 * threads + threads / 2);
  // After it, what was set before.
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_guided && chunk == 7 && omp_get_max_threads() == threads && omp_get_max_active_levels() == 3);
  omp_set_nested(0);
  omp_set_num_teams(0);
  omp_set_teams_thread_limit(0);
#pragma omp parallel
  CHECK(omp_get_max_active_levels() == 1 && omp_get_max_teams() == 0 && omp_get_teams_thread_limit() == 0);
  // A schedule that programs ask for when they run, by all processes.
  const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
  for (int k = 0; k < 4; ++k) {
    omp_set_schedule(kinds[k], 1 + 2 * k);
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    CHECK(sum == 499500);
  }
  use_pool(pool);
  omp_destroy_allocator(pool);
  set_formats_inside();
  printf("all is right\n");
  return 0;
}
