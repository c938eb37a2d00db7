/* All that PEs do with pages, in all PEs, until somebody ends the job: neighbours' pages are read and written by turns,
 * bytes of one page by all, sums under locks and by atomic operations, blocks that come and go. It checks what it can
 * as it goes. What ends it is the test's (kills.py), to which PE 0 says when all are at it. */
#include <string.h>

#include "check.h"

enum { kPages = 96, kPage = 4096 };

struct cell {
  weft_shared_lock_t lock;
  long sum, times;
};

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  unsigned char* const all = zeros((size_t)n * kPages * kPage);
  unsigned char* const mixed = zeros((size_t)kPages * kPage);
  struct cell* const cell = zeros(sizeof *cell);
  uint64_t* const word = zeros(sizeof *word);
  for (unsigned long round = 0;; ++round) {
    /* Each writes the part of another PE in each round, so pages change hands. */
    unsigned char* const part = all + (size_t)((me + (int)(round % (unsigned)n)) % n) * kPages * kPage;
    memset(part, (int)(round % 251 + 1), (size_t)kPages * kPage);
    for (size_t k = (size_t)me; k < (size_t)kPages * kPage; k += (size_t)n) {
      mixed[k] = (unsigned char)(round % 251 + 1);
    }
    weft_shared_lock(&cell->lock);
    CHECK(cell->sum == 3 * cell->times);
    cell->sum += 3;
    ++cell->times;
    weft_shared_unlock(&cell->lock);
    (void)weft_shared_uint64_fetch_add(word, 1);
    unsigned char* const block = weft_shared_malloc(round % 9000 + 1);
    block[0] = (unsigned char)me;
    weft_shared_barrier();
    for (size_t k = 0; k < (size_t)n * kPages * kPage; k += kPage / 2) {
      CHECK(all[k] == (unsigned char)(round % 251 + 1));
    }
    for (size_t k = 0; k < (size_t)kPages * kPage; k += 97) {
      CHECK(mixed[k] == (unsigned char)(round % 251 + 1));
    }
    CHECK(block[0] == (unsigned char)me);
    weft_shared_free(block);
    weft_shared_barrier();
    if (round == 0 && me == 0) {
      printf("all are at it\n");
      fflush(stdout);
    }
  }
}
