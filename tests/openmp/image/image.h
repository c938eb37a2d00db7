// What libweft_image.so offers an OpenMP library (src/omp/program/table.hpp), for programs that stand in for one.
#ifndef WEFT_TESTS_OPENMP_IMAGE_H
#define WEFT_TESTS_OPENMP_IMAGE_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct image_table {
  uint32_t layout;
  int process;
  int processes;
  size_t shared_bytes;
  int threads_of_each;
  void (*everywhere)(void (*body)(void*), void* argument);
  void (*barrier)(void);
  void (*release)(void);
  void (*acquire)(void);
  void* (*allocate)(size_t bytes);
  void (*free)(void* block);
  bool (*is_shared)(const void* address);
  void* (*stack)(size_t bytes);
  bool (*start_thread)(int process, void* (*body)(void*), void* argument, size_t stack_bytes);
};

static inline const struct image_table* image(void) {
  const struct image_table* (*find)(void) = (const struct image_table* (*)(void))dlsym(RTLD_DEFAULT, "weft_omp_image");
  const struct image_table* table = find != NULL ? find() : NULL;
  if (table == NULL) {
    fprintf(stderr, "no image\n");
    exit(2);
  }
  return table;
}

// All processes run body, this one too, and meet at its end.
struct to_run {
  void (*body)(void*);
  void* argument;
};
static inline void run_and_meet(void* argument) {
  const struct to_run to_run = *(struct to_run*)argument;
  to_run.body(to_run.argument);
  image()->barrier();
}
static inline void all(void (*body)(void*), void* argument) {
  struct to_run to_run = {body, argument};
  image()->everywhere(run_and_meet, &to_run);
  run_and_meet(&to_run);
}

#define CHECK(condition)                                                                            \
  do {                                                                                              \
    if (!(condition)) {                                                                             \
      fprintf(stderr, "%s:%d: process %d: %s\n", __FILE__, __LINE__, image()->process, #condition); \
      exit(1);                                                                                      \
    }                                                                                               \
  } while (0)

#endif
