// Files of words for the command line: `-file` has options of one program, `-configfile` whole programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weft::launch::command {

using Words = std::vector<std::string>;

/// The words of each line that has some. Words stand apart as in a shell: quotes of both kinds and backslashes keep
/// blanks in one. A line that begins with # is left out, and one that ends with a backslash goes on in the next.
base::Result<std::vector<Words>> read_words(std::string_view text, const std::string& file);
base::Result<std::vector<Words>> load_words(const std::string& file);

}  // namespace weft::launch::command
