/* A private context that another thread uses.
 *
 *   weft: PE 0: shmem_ctx_long_p: ctx, 0x..., was made with SHMEM_CTX_PRIVATE by another thread; only that one may use it (called in work at private_context.c:13)
 *       it was made by shmem_ctx_create in main at private_context.c:21
 */
#include <pthread.h>
#include <shmem.h>

static long word;
static shmem_ctx_t ctx;

static void* work(void* nothing) {
  shmem_ctx_long_p(ctx, &word, 1, 0);
  return nothing;
}

int main(void) {
  int level;
  pthread_t thread;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) != 0) return 1;
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) != 0) return 1;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  shmem_finalize();
}
