// Programs that oshrun runs to learn something, and waits for.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::launch {

struct Answer {
  std::string text;  // what it printed
  int status = -1;   // as waitpid has it
};

/// Runs the program to its end. `words` is its argv. The error is an errno's text: it could not be started.
base::Result<Answer> ask(const std::string& path, std::vector<std::string> words);

}  // namespace weft::launch
