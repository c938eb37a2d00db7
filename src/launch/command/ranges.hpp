// Lists of small numbers as people and the kernel write them: "0-3,8".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace weft::launch::command {

/// The numbers in ascending order, each once. Nothing when the text is no such list, or one is not below `below`.
std::optional<std::vector<int>> read_ranges(std::string_view text, int below);

}  // namespace weft::launch::command
