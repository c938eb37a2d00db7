// Functions of one atomic instruction each, twice: one that is found and rewritten, and one that nobody finds, as it is
// described nowhere.
#pragma once

#include <cstdint>

namespace weft::test {

struct Form {
  const char* text;
  void (*rewritten)();
  void (*original)();
  unsigned size;
  int base;  // registers by number; -1: none
  int index;
  unsigned scale;
  std::int64_t displacement;
  bool by_fs;
  int bits;  // register with the number of a bit, which counts on into other words; -1: none
};

extern const Form kForms[];
extern const int kNumberOfForms;
}  // namespace weft::test

// What the ones are about that name a place by its distance.
extern "C" unsigned char weft_test_words[256];
