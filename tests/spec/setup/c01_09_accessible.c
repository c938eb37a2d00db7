/* 1.9 shmem_pe_accessible and shmem_addr_accessible return exactly 1 or 0, for every kind of address. */
#include "../check.h"

#include <sys/mman.h>

extern long* dso_counter(void); /* a static of a shared library: not symmetric */

static long in_bss, in_data = 3;
static char array[100000];
static __thread long per_thread = 4;
long exported = 5;

int main(void) {
  static long in_function = 6;
  long on_stack = 1;
  long *heap, *inner, *private_heap = (long*)malloc(sizeof(long));
  void* mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* code;
  int (*code_of)(void) = shmem_my_pe;
  int pe;
  check_begin();
  memcpy(&code, &code_of, sizeof code);
  REQUIRE(private_heap && mapped != MAP_FAILED, "memory");
  heap = (long*)shmem_malloc(100000);
  REQUIRE(heap != NULL, "shmem_malloc");
  inner = heap + 10000;
  for (pe = 0; pe < check_n; ++pe) {
    CHECK_EQ(shmem_pe_accessible(pe), 1, "pe_accessible(%d)", pe);
    CHECK_EQ(shmem_addr_accessible(heap, pe), 1, "heap");
    CHECK_EQ(shmem_addr_accessible(inner, pe), 1, "inside a heap block");
    CHECK_EQ(shmem_addr_accessible((char*)heap + 99999, pe), 1, "last byte of a heap block");
    CHECK_EQ(shmem_addr_accessible(&in_bss, pe), 1, ".bss");
    CHECK_EQ(shmem_addr_accessible(&in_data, pe), 1, ".data");
    CHECK_EQ(shmem_addr_accessible(&in_function, pe), 1, "static of a function");
    CHECK_EQ(shmem_addr_accessible(&exported, pe), 1, "global");
    CHECK_EQ(shmem_addr_accessible(&array[99999], pe), 1, "inside a static array");
    CHECK_EQ(shmem_addr_accessible(&on_stack, pe), 0, "stack");
    CHECK_EQ(shmem_addr_accessible(private_heap, pe), 0, "malloc");
    CHECK_EQ(shmem_addr_accessible(mapped, pe), 0, "mmap");
    CHECK_EQ(shmem_addr_accessible(code, pe), 0, "code");
    CHECK_EQ(shmem_addr_accessible(&per_thread, pe), 0, "thread-local");
    CHECK_EQ(shmem_addr_accessible(dso_counter(), pe), 0, "static of a shared library");
    CHECK_EQ(shmem_addr_accessible(NULL, pe), 0, "NULL");
    CHECK_EQ(shmem_addr_accessible((void*)UINTPTR_MAX, pe), 0, "the last address there is");
  }
  /* numbers of no PE: no object is accessible there */
  CHECK_EQ(shmem_pe_accessible(check_n), 0, "pe_accessible(n)");
  CHECK_EQ(shmem_pe_accessible(-1), 0, "pe_accessible(-1)");
  CHECK_EQ(shmem_pe_accessible(2147483647), 0, "pe_accessible(INT_MAX)");
  CHECK_EQ(shmem_addr_accessible(heap, check_n), 0, "addr_accessible on PE n");
  CHECK_EQ(shmem_addr_accessible(heap, -1), 0, "addr_accessible on PE -1");
  ++*dso_counter();
  shmem_free(heap);
  {
    const int freed = shmem_addr_accessible(heap, 0);
    CHECK(freed == 0 || freed == 1, "freed heap: %d", freed);
  }
  free(private_heap);
  return check_end();
}
