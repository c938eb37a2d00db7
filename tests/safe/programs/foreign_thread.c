/* A put from a thread of a program that has asked for no threads.
 *
 *   weft: PE 0: shmem_long_p: called by another thread than shmem_init, with the thread level SHMEM_THREAD_SINGLE; ask shmem_init_thread for SHMEM_THREAD_SERIALIZED or SHMEM_THREAD_MULTIPLE (called in work at foreign_thread.c:11)
 */
#include <pthread.h>
#include <shmem.h>

static long word;

static void* work(void* nothing) {
  shmem_long_p(&word, 1, 0);
  return nothing;
}

int main(void) {
  pthread_t thread;
  shmem_init();
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  shmem_finalize();
}
