// Small programs that come with Weft and do what would need a library that Weft itself does not need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::helper {

struct Answer {
  std::string text;  // what it wrote to its standard output
  int status = -1;   // as waitpid has it
};

/// Runs the program with these words, the first of which is its name, until it ends; after so many milliseconds it is
/// killed, 0: never. What it says on standard error is ours to say, unless it is to be quiet: where a library that it
/// needs is missing, the dynamic linker says so each time.
enum class Errors : std::uint8_t { kOurs, kQuiet };
base::Result<Answer> ask(const std::string& path, std::vector<std::string> words, int limit_ms,
                         Errors errors = Errors::kOurs);

/// Where a program of users lies, such as weft-profile, seen from the running one.
std::string beside_us(const std::string& name);

/// Where the helper of this name lies, seen from the running executable, which is a program of Weft as well.
std::string path_of(const char* name);

}  // namespace weft::helper
