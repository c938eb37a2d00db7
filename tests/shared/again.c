/* Begun twice, ended, and begun anew: memory is new, too. And nobody calls the end at last. */
#include "check.h"

int main(void) {
  for (int round = 0; round < 3; ++round) {
    weft_shared_init();
    weft_shared_init();
    weft_shared_finalize();
    int* a = zeros(100000);
    for (int k = 0; k < 25000; ++k) {
      CHECK(a[k] == 0);
    }
    weft_shared_barrier();
    a[weft_shared_my_pe()] = round + 1;
    weft_shared_barrier();
    if (round < 2) {
      weft_shared_finalize();
    }
  }
  return 0;
}
