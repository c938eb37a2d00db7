// The command line of oshrun.
#pragma once

#include "base/result.hpp"

namespace weft::launch {

enum class Wish : unsigned char { kRun, kHelp, kVersion };

struct Arguments {
  Wish wish = Wish::kRun;
  int n_pes = 0;
  bool verbose = false;
  char** program = nullptr;  // the program and its arguments: the rest of argv
};

/// Reads `oshrun [options] program args...`. Everything from the first word that is no option belongs to the program.
base::Result<Arguments> parse_arguments(int argc, char** argv);

const char* help_text();

}  // namespace weft::launch
