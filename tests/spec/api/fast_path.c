/* What check_fast_path.py looks at. Compiled only. */
#include <shmem.h>

int own_number(void) { return shmem_my_pe(); }
int all_pes(void) { return shmem_n_pes(); }
void one_p(long* dest, long value, int pe) { shmem_long_p(dest, value, pe); }
long one_g(const long* source, int pe) { return shmem_long_g(source, pe); }
void put_constant(void* dest, const void* source, int pe) { shmem_putmem(dest, source, 32, pe); }
void get_constant(double* dest, const double* source, int pe) { shmem_double_get(dest, source, 3, pe); }
long fetch_add(long* dest, int pe) { return shmem_long_atomic_fetch_add(dest, 7, pe); }
void put_and_signal(long* dest, const long* source, uint64_t* word, int pe) {
  shmem_long_put_signal(dest, source, 1, word, 1, SHMEM_SIGNAL_SET, pe);
}

void loop_p(long* dest, int pe, long n) {
  for (long i = 0; i < n; i++) shmem_long_p(&dest[i], i, pe);
}

void loop_same_p(long* dest, int pe, long n) {
  for (long i = 0; i < n; i++) shmem_long_p(dest, i, pe);
}

long loop_g(const long* source, int pe, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += shmem_long_g(&source[i], pe);
  return sum;
}

void loop_ctx_p(shmem_ctx_t ctx, long* dest, int pe, long n) {
  for (long i = 0; i < n; i++) shmem_ctx_long_p(ctx, &dest[i], i, pe);
}

long loop_ctx_g(shmem_ctx_t ctx, const long* source, int pe, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += shmem_ctx_long_g(ctx, &source[i], pe);
  return sum;
}

/* A context that may be none where it is not used. */
void loop_ctx_maybe(shmem_ctx_t ctx, long* dest, int pe, long n, const int* used) {
  for (long i = 0; i < n; i++) {
    if (used[i]) shmem_ctx_long_p(ctx, &dest[i], i, pe);
  }
}

static long variable[100];

void starts(int pe) {
  shmem_init();
  shmem_long_p(variable, 1, pe);
  for (int i = 0; i < 100; i++) shmem_long_p(&variable[i], i, pe);
  shmem_barrier_all();
  shmem_long_p(variable, 2, pe);
  shmem_finalize();
}
