/* A context that is used after its end, while another has been made.
 *
 *   weft: PE 0: shmem_ctx_long_put: ctx, 0x..., is a context that was destroyed (called in main at destroyed_context.c:17)
 *       it was made by shmem_ctx_create in main at destroyed_context.c:14
 *       it was destroyed by shmem_ctx_destroy in main at destroyed_context.c:15
 */
#include <shmem.h>

static long there[4], here[4];

int main(void) {
  shmem_ctx_t old, current;
  shmem_init();
  if (shmem_ctx_create(0, &old) != 0) return 1;
  shmem_ctx_destroy(old);
  if (shmem_ctx_create(0, &current) != 0) return 1;
  shmem_ctx_long_put(old, there, here, 4, 0);
  shmem_finalize();
}
