// Functions in functions, which run by code on the stack of who is in the outer one: GNU C's, and as Fortran has them.
#include <omp.h>

#include "check.h"

static __attribute__((noipa)) int apply(int (*function)(int), int x) { return function(x); }

int main(void) {
  int base = 5, called = 0;
  int add(int x) { return x + base; }
  CHECK(apply(add, 1) == 6);
#pragma omp parallel reduction(+ : called)
  {
    const int mine = omp_get_thread_num();
    int add_own(int x) { return x + mine; }
    CHECK(apply(add_own, 3) == 3 + mine);
    CHECK(apply(add, 2) == 7);
    ++called;
  }
  CHECK(called == omp_get_max_threads());
  printf("all is right\n");
  return 0;
}
