/* What the programs here check by: a line that says what was not so, and the end. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <weft/shared.h>

#define CHECK(condition)                                                                                  \
  do {                                                                                                    \
    if (!(condition)) {                                                                                   \
      fprintf(stderr, "PE %d: %s:%d: not so: %s\n", weft_shared_my_pe(), __FILE__, __LINE__, #condition); \
      exit(1);                                                                                            \
    }                                                                                                     \
  } while (0)

/* Zeros that PE 0 gets for all. */
static inline void* zeros(size_t bytes) {
  return weft_shared_from(0, weft_shared_my_pe() == 0 ? weft_shared_calloc(1, bytes) : NULL);
}

#endif
