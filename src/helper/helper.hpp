// Small programs that come with Weft and do what would need a library that Weft itself does not need.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::helper {

struct Answer {
  std::string text;  // what it wrote to its standard output
  int status = -1;   // as waitpid has it
};

/// Runs the program with these words, the first of which is its name, until it ends; after so many milliseconds it is
/// killed, 0: never. Its standard error is ours.
base::Result<Answer> ask(const std::string& path, std::vector<std::string> words, int limit_ms);

/// Where the one of this name lies, seen from the running executable, which is a program of Weft as well.
std::string path_of(const char* name);

}  // namespace weft::helper
