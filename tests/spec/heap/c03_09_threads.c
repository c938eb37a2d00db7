/* 3.9 Heap routines are collective over the PEs, whichever thread calls them: memory from another thread is the same
 * heap, the order of the calls alone counts, and any thread may free it. */
#include "../check.h"

#include <pthread.h>

static long* blocks[6];

static void* allocate(void* k) {
  const int i = *(int*)k;
  blocks[i] = (long*)(i % 3 == 0 ? shmem_malloc(1000) : i % 3 == 1 ? shmem_calloc(125, 8) : shmem_align(1024, 1000));
  return NULL;
}
static void* release(void* k) {
  shmem_free(blocks[*(int*)k]);
  return NULL;
}
static void in_thread(void* (*what)(void*), int k) {
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, what, &k) == 0, "pthread_create");
  pthread_join(thread, NULL);
}

int main(void) {
  int i, provided = -1;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) != 0) return 1;
  check_identify();
  REQUIRE(provided >= SHMEM_THREAD_SERIALIZED, "provided %d", provided);
  for (i = 0; i < 6; ++i) {
    /* even PEs call from the main thread what odd PEs call from another one: still one collective call */
    if ((i + check_me) % 2) {
      in_thread(allocate, i);
    } else {
      allocate(&i);
    }
    REQUIRE(blocks[i] != NULL, "block %d", i);
    CHECK(i % 3 != 2 || (uintptr_t)blocks[i] % 1024 == 0, "alignment in a thread");
    blocks[i][7] = check_me * 10 + i;
  }
  shmem_barrier_all();
  for (i = 0; i < 6; ++i)
    CHECK_EQ(shmem_long_g(&blocks[i][7], check_right(1)), check_right(1) * 10 + i, "block %d of the neighbour", i);
  shmem_barrier_all();
  for (i = 5; i >= 0; --i) {
    if ((i + check_me) % 3) {
      in_thread(release, i);
    } else {
      release(&i);
    }
  }
  {
    void* all = shmem_malloc((size_t)15 << 20);
    CHECK(all != NULL, "15 of 16 MiB: a thread's free gave its memory back");
    shmem_free(all);
  }
  return check_end();
}
