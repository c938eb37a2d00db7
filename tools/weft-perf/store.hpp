// Writing what transport/tuning.hpp reads.
#pragma once

#include <cstddef>
#include <string>

namespace weft::perf {

/// The text of a file with this line in place of the provider's older one. Lines of others and comments stay; what
/// could not be read goes, with a damaged file nobody would read the new line.
std::string with_line(const std::string& text, const std::string& provider, std::size_t copy_bytes);

/// Writes it, with the folders on the way, so that whoever reads it meanwhile sees the old file or the new one. Empty,
/// or why not.
std::string store(const std::string& path, const std::string& provider, std::size_t copy_bytes);

}  // namespace weft::perf
