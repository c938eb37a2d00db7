/* A context that nobody has made: a handle from a structure that was never set.
 *
 *   weft: PE 0: shmem_ctx_long_p: ctx, 0x..., is no context: no call has made it; was the variable ever set? (called in main at unknown_context.c:18)
 */
#include <shmem.h>
#include <string.h>

struct solver {
  int rank;
  shmem_ctx_t ctx;
} solver;

static long word;

int main(void) {
  memset(&solver, 0x5a, sizeof solver); /* as what malloc gives */
  shmem_init();
  shmem_ctx_long_p(solver.ctx, &word, 1, 0);
  shmem_finalize();
}
