// The command line of oshrun.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::launch {

enum class Wish : std::uint8_t { kRun, kHelp, kVersion };

/// Who gets what oshrun reads.
enum class InputTo : std::uint8_t { kPe0, kAll, kNobody };

struct Arguments {
  Wish wish = Wish::kRun;
  int n_pes = 0;
  bool verbose = false;
  bool tag_output = false;
  InputTo input = InputTo::kPe0;
  std::uint64_t timeout = 0;             // ns; 0: none
  std::string timeout_text;              // as it was written
  std::string output_dir;                // empty: the PEs' output is ours
  std::string work_dir;                  // empty: where we are
  std::vector<std::string> environment;  // NAME=VALUE
  char** program = nullptr;              // the program and its arguments: the rest of argv
};

/// Reads `oshrun [options] program args...`. Everything from the first word that is no option belongs to the program.
base::Result<Arguments> parse_arguments(int argc, char** argv);

std::string help_text();

}  // namespace weft::launch
