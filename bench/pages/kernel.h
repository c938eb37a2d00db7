/* What programs share that measure the kernel alone, without Weft; they define _GNU_SOURCE. */
#ifndef WEFT_BENCH_PAGES_KERNEL_H
#define WEFT_BENCH_PAGES_KERNEL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

static void need(int good, const char* what) {
  if (!good) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(1);
  }
}

#endif
