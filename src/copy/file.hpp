// Which file later programs read of copies, as one PE tells the others of its node.
#pragma once

#include <cstdint>

namespace weft::copy {

/// Stands for the name of the file that `named`, which is WEFT_COPY_FILE or null, means in this PE; never 0. Opens
/// nothing.
std::uint32_t mark_of_file(const char* named) noexcept;

}  // namespace weft::copy
