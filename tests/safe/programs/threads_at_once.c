/* Threads that do not take turns although they have promised to.
 *
 *   weft: PE 0: shmem_long_p: called while another thread is in a call, with the thread level SHMEM_THREAD_SERIALIZED; take turns, or ask shmem_init_thread for SHMEM_THREAD_MULTIPLE (called in main at threads_at_once.c:22)
 */
#include <pthread.h>
#include <shmem.h>
#include <unistd.h>

static long word;

static void* wait_for_it(void* nothing) {
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
  return nothing;
}

int main(void) {
  int level;
  pthread_t thread;
  if (shmem_init_thread(SHMEM_THREAD_SERIALIZED, &level) != 0) return 1;
  pthread_create(&thread, NULL, wait_for_it, NULL);
  usleep(300000);
  shmem_long_p(&word, 1, shmem_my_pe());
  pthread_join(thread, NULL);
  shmem_finalize();
}
