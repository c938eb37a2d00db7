/* Calls that must not compile, one for each CASE; check_rejects.py reads the cases and the message to expect from
 * here. Without CASE the file compiles, so each failure is the case's own. */
#include <shmem.h>
#include <stddef.h>

struct thing {
  int x;
};
void rejects(shmem_ctx_t ctx, struct thing* thing, void* nothing, char* c, short* s, int* i, float* f, long double* ld);
void rejects(shmem_ctx_t ctx, struct thing* thing, void* nothing, char* c, short* s, int* i, float* f,
             long double* ld) {
  (void)ctx, (void)thing, (void)nothing, (void)c, (void)s, (void)i, (void)f, (void)ld;
#if CASE == 1 /* not compatible with any */
  shmem_put(thing, thing, 1, 0);
#elif CASE == 2  /* not compatible with any */
  shmem_put(nothing, nothing, 1, 0);
#elif CASE == 3  /* not compatible with any */
  shmem_put(ctx, thing, thing, 1, 0);
#elif CASE == 4  /* not compatible with any */
  (void)shmem_g(&i, 0);
#elif CASE == 5  /* not compatible with any */
  shmem_atomic_inc(c, 0);
#elif CASE == 6  /* not compatible with any */
  (void)shmem_atomic_fetch(ld, 0);
#elif CASE == 7  /* not compatible with any */
  (void)shmem_atomic_compare_swap(f, 1.0f, 2.0f, 0);
#elif CASE == 8  /* not compatible with any */
  shmem_atomic_and(f, 1.0f, 0);
#elif CASE == 9  /* not compatible with any */
  shmem_wait_until(f, SHMEM_CMP_EQ, 1.0f);
#elif CASE == 10 /* not compatible with any */
  shmem_wait_until_all(s, 1, NULL, SHMEM_CMP_EQ, 1);
#elif CASE == 11 /* not compatible with any */
  shmem_cswap(f, 1.0f, 2.0f, 0);
#elif CASE == 12 /* weft_wrong_number_of_arguments */
  shmem_put(i, i, 1);
#elif CASE == 13 /* weft_wrong_number_of_arguments */
  shmem_signal_add(i);
#elif CASE == 14 /* is not a function */
  shmem_put(ctx, i, i, 1, 0, 0);
#elif CASE == 15 /* incompatible pointer type */
  shmem_put(i, f, 1, 0);
#endif
}
