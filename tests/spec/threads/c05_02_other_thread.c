/* 5.2 The thread that initialised finalizes: here neither is the main thread. Between, other threads communicate. */
#include "../check.h"

#include <pthread.h>

static long word, from_main, counter;
static pthread_barrier_t stage;

static void* starter(void* unused) {
  int provided = -1;
  (void)unused;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) _exit(1);
  check_identify();
  CHECK_EQ(provided, SHMEM_THREAD_MULTIPLE, "provided");
  shmem_long_p(&word, 10 + check_me, check_right(1));
  pthread_barrier_wait(&stage); /* 1: the main thread may use the library */
  shmem_long_atomic_inc(&counter, 0);
  pthread_barrier_wait(&stage); /* 2: it is done */
  shmem_barrier_all();
  CHECK_EQ(word, 10 + check_right(-1), "put of the starting thread");
  CHECK_EQ(from_main, 20 + check_right(-1), "put of the main thread");
  CHECK_EQ(shmem_long_atomic_fetch(&counter, 0), 2L * check_n, "adds of both threads of all PEs");
  if (check_failures) check_give_up();
  shmem_finalize();
  return NULL;
}

int main(void) {
  int round;
  check_watch();
  for (round = 0; round < 3; ++round) {
    pthread_t thread;
    counter = 0;
    pthread_barrier_init(&stage, NULL, 2);
    if (pthread_create(&thread, NULL, starter, NULL)) return 1;
    pthread_barrier_wait(&stage);
    shmem_long_p(&from_main, 20 + check_me, check_right(1));
    shmem_long_atomic_inc(&counter, 0);
    pthread_barrier_wait(&stage);
    STEP("the other thread finalizes");
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&stage);
  }
  return check_result();
}
