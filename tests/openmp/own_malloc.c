/* A program with a malloc of its own, which comes before all others. */
#include <stddef.h>
#include <stdio.h>

static char pool[1 << 20];
static size_t used;

void* malloc(size_t bytes) {
  void* const got = pool + used;
  used += (bytes + 15) & ~(size_t)15;
  return got;
}
void free(void* block) { (void)block; }

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  puts(threads > 0 ? "alone" : "nobody");
  return 0;
}
