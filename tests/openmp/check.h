/* What programs of these tests hold: the first thing that is not so ends them with its line. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                     \
  do {                                                  \
    if (!(what)) {                                      \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
      exit(1);                                          \
    }                                                   \
  } while (0)
