/* Threads that put at the same time, one after another, and in a child that is no PE. */
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long word;

static void* puts_of_one(void* unused) {
  for (int k = 0; k < 1000; ++k) shmem_long_p(&word, k, 0);
  return unused;
}

int main(void) {
  int provided;
  pthread_t threads[3];
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0 || provided != SHMEM_THREAD_MULTIPLE) return 1;
  for (int k = 0; k < 3; ++k) pthread_create(&threads[k], NULL, puts_of_one, NULL);
  for (int k = 0; k < 3; ++k) pthread_join(threads[k], NULL);
  pthread_create(&threads[0], NULL, puts_of_one, NULL);
  pthread_join(threads[0], NULL);
  const pid_t child = fork(); /* no PE */
  if (child == 0) {
    int initialised = 1;
    shmem_query_initialized(&initialised);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  shmem_finalize();
  return 0;
}
