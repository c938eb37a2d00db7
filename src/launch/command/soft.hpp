// `-soft` of the MPI standard: the numbers of ranks that a program can do with.
#pragma once

#include <optional>
#include <string_view>

namespace weft::launch::command {

/// A list of "a", "a:b" and "a:b:c", with commas between: the numbers from a to b, each c-th. The largest of them that
/// is from 1 to `most`; 0 when none is. Nothing: the text is no such list.
std::optional<int> largest_soft(std::string_view text, int most);

}  // namespace weft::launch::command
