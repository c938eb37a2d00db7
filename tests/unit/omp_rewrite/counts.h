#pragma once

#ifdef __cplusplus
#define WEFT_ATOMIC(type) type
#define WEFT_FLAG bool
extern "C" {
#else
#include <stdatomic.h>
#define WEFT_ATOMIC(type) _Atomic(type)
#define WEFT_FLAG atomic_flag
#endif

struct counts {
  long wide;
  int word;
  short half;
  unsigned char byte;
  WEFT_ATOMIC(unsigned) flips;
  long compared;
  int compared_word;
  unsigned long real;
  WEFT_FLAG lock;
  long protected_word;
  unsigned bits;
  int wrong;
};

#ifdef __cplusplus
}
#endif
