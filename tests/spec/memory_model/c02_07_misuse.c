/* 2.7 and C: what the specification leaves undefined ends here with one line that says what was wrong, never with a
 * silent wrong result. The argument says which mistake; PE 0 makes it. */
#include "../check.h"

#include <sys/mman.h>

extern long* dso_counter(void);
static long word, array[4];
static __thread long per_thread;

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  long on_stack = 1, *heap, *theirs;
  volatile int pe; /* volatile: compilers see these mistakes too */
  volatile size_t too_long = (size_t)64 << 20;
  check_begin();
  pe = check_n - 1;
  heap = (long*)shmem_calloc(8, sizeof(long));
  REQUIRE(heap != NULL, "shmem_calloc");
  theirs = (long*)shmem_ptr(heap, pe);
  shmem_barrier_all();
  if (check_me == 0) {
    if (!strcmp(what, "ptr_put")) shmem_long_p(theirs, 1, pe);
    if (!strcmp(what, "ptr_get")) on_stack = shmem_long_g(theirs, pe);
    if (!strcmp(what, "ptr_amo")) shmem_long_atomic_inc(theirs, pe);
    if (!strcmp(what, "stack")) shmem_long_p(&on_stack, 1, pe);
    if (!strcmp(what, "stack_get")) shmem_long_get(array, &on_stack, 1, pe);
    if (!strcmp(what, "stack_amo")) shmem_long_atomic_add(&on_stack, 1, pe);
    if (!strcmp(what, "stack_signal")) {
      uint64_t sig = 0;
      shmem_long_put_signal(&word, &on_stack, 1, &sig, 1, SHMEM_SIGNAL_SET, pe);
    }
    if (!strcmp(what, "malloc")) shmem_long_put((long*)malloc(64), array, 2, pe);
    if (!strcmp(what, "dso")) shmem_long_p(dso_counter(), 1, pe);
    if (!strcmp(what, "thread")) shmem_long_p(&per_thread, 1, pe);
    if (!strcmp(what, "null")) shmem_long_put(NULL, array, 1, pe);
    if (!strcmp(what, "null_source")) shmem_long_put(array, NULL, 1, pe);
    if (!strcmp(what, "null_get")) shmem_long_get(NULL, array, 1, pe);
    if (!strcmp(what, "pe_n")) shmem_long_p(&word, 1, check_n);
    if (!strcmp(what, "pe_negative")) shmem_long_p(&word, 1, -1);
    if (!strcmp(what, "pe_get")) on_stack = shmem_long_g(&word, check_n + 3);
    if (!strcmp(what, "pe_amo")) shmem_long_atomic_fetch_add(&word, 1, 1 << 30);
    if (!strcmp(what, "pe_putmem")) shmem_putmem(&word, array, 8, check_n);
    if (!strcmp(what, "past_end")) {
      /* begins in the heap of 4 MiB and ends far behind it */
      void* source = mmap(NULL, too_long, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      shmem_putmem(heap, source, too_long, 0);
    }
    fprintf(stderr, "nothing stopped '%s'\n", what);
    _exit(0);
  }
  /* The others wait: the mistake of PE 0 must end them too. */
  shmem_barrier_all();
  return 0;
}
