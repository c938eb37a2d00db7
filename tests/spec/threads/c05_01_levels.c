/* 5.1 Levels are strictly increasing; init_thread returns 0, its `provided` is what query_thread says from then on, on
 * every PE and in every thread; shmem_init has a level too. The argument is the level asked for, "init", or "all"
 * (every level in turn, with a finalize between). */
#include "../check.h"

#include <pthread.h>

static int levels[4] = {SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE};
static int on_pe[64];

static void* ask(void* out) {
  shmem_query_thread((int*)out);
  return NULL;
}

static int is_level(int level) {
  int i;
  for (i = 0; i < 4; ++i)
    if (levels[i] == level) return 1;
  return 0;
}

static void one(int wanted, int plain) {
  int provided = -12345, asked = -1, in_thread = -2, pe;
  pthread_t thread;
  if (plain) {
    shmem_init();
    shmem_query_thread(&provided);
  } else {
    const int rc = shmem_init_thread(wanted, &provided);
    if (rc != 0) {
      fprintf(stderr, "init_thread(%d) returned %d\n", wanted, rc);
      exit(1);
    }
  }
  check_identify();
  REQUIRE(check_n <= 64, "%d PEs", check_n);
  CHECK(is_level(provided), "provided %d is no level", provided);
  shmem_query_thread(&asked);
  CHECK_EQ(asked, provided, "query_thread");
  CHECK_EQ(pthread_create(&thread, NULL, ask, &in_thread), 0, "pthread_create");
  pthread_join(thread, NULL);
  CHECK_EQ(in_thread, provided, "query_thread in another thread");
  for (pe = 0; pe < check_n; ++pe) shmem_int_p(&on_pe[check_me], provided, pe);
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) CHECK_EQ(on_pe[pe], provided, "level of PE %d", pe);
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  int i;
  check_watch();
  for (i = 0; i < 3; ++i) {
    if (levels[i] >= levels[i + 1]) {
      fprintf(stderr, "levels do not increase: %d %d\n", levels[i], levels[i + 1]);
      return 1;
    }
  }
  if (argc > 1 && !strcmp(argv[1], "all")) {
    for (i = 0; i < 12; ++i) {
      one(levels[i % 4], i % 5 == 4);
      if (i < 11) shmem_finalize();
    }
  } else if (argc > 1 && strcmp(argv[1], "init")) {
    one(levels[atoi(argv[1]) & 3], 0);
  } else {
    one(0, 1);
  }
  return check_end();
}
