/* 0.10 A tool's library replaces shmem_ routines at link time and reaches the real ones as pshmem_; shmem_pcontrol
 * exists and does nothing. The replacements below stand in the program itself and must win over the library, for calls
 * with inline bodies too: -DWEFT_NO_INLINE is how a program asks for that. */
#include "../check.h"

#include <pshmem.h>

static int puts_seen, gets_seen, barriers_seen, mallocs_seen, inits_seen, adds_seen;
static long word;

void shmem_init(void) {
  ++inits_seen;
  pshmem_init();
}
void shmem_barrier_all(void) {
  ++barriers_seen;
  pshmem_barrier_all();
}
void* shmem_malloc(size_t size) {
  ++mallocs_seen;
  return pshmem_malloc(size);
}
void shmem_long_p(long* dest, long value, int pe) {
  ++puts_seen;
  pshmem_long_p(dest, value, pe);
}
void shmem_long_get(long* dest, const long* source, size_t nelems, int pe) {
  ++gets_seen;
  pshmem_long_get(dest, source, nelems, pe);
}
void shmem_long_atomic_add(long* dest, long value, int pe) {
  ++adds_seen;
  pshmem_long_atomic_add(dest, value, pe);
}

int main(void) {
  long got = 0, *heap;
  int to;
  check_begin();
  to = check_right(1);
  shmem_pcontrol(0);
  shmem_pcontrol(1, "anything", 2, 3.0);
  shmem_pcontrol(-1);
  pshmem_pcontrol(2, (void*)0);

  shmem_long_p(&word, 11 + check_me, to);
  shmem_barrier_all();
  shmem_long_get(&got, &word, 1, to);
  CHECK_EQ(got, 11 + check_me, "through the wrappers");
  shmem_long_atomic_add(&word, 100, to);
  heap = (long*)shmem_malloc(sizeof(long));
  REQUIRE(heap != NULL, "shmem_malloc");
  CHECK_EQ(word, 111 + check_right(-1), "malloc was a barrier behind the wrapper");

  CHECK_EQ(inits_seen, 1, "shmem_init");
  CHECK_EQ(puts_seen, 1, "shmem_long_p");
  CHECK_EQ(gets_seen, 1, "shmem_long_get");
  CHECK_EQ(adds_seen, 1, "shmem_long_atomic_add");
  CHECK_EQ(barriers_seen, 1, "shmem_barrier_all: the library's own barriers do not go through the program's wrapper");
  CHECK_EQ(mallocs_seen, 1, "shmem_malloc");

  /* the twins by themselves */
  *heap = 0;
  pshmem_barrier_all();
  pshmem_long_atomic_inc(heap, to);
  pshmem_barrier_all();
  CHECK_EQ(pshmem_long_atomic_fetch(heap, check_me), 1, "pshmem AMO");
  CHECK_EQ(pshmem_my_pe(), check_me, "pshmem_my_pe");
  CHECK_EQ(pshmem_n_pes(), check_n, "pshmem_n_pes");
  CHECK_EQ(puts_seen + gets_seen + adds_seen + barriers_seen, 4, "twins do not call the wrappers");
  pshmem_free(heap);
  return check_end();
}
