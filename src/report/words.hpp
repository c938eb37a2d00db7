// Numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace weft::report {

std::string number(std::uint64_t value);         // 1,234,567
std::string bytes(std::uint64_t value);          // 1.2 MiB
std::string seconds(double value);               // 3.21 s, 12.3 ms, 45.6 us, 120 ns
std::string percent(double part, double whole);  // 12 %
/// "1 PE", "2 PEs"
std::string count_of(std::uint64_t count, const char* one);

/// Fills up with spaces, before or behind.
std::string right(const std::string& text, std::size_t width);
std::string left(const std::string& text, std::size_t width);
/// What is too long loses its beginning.
std::string tail(const std::string& text, std::size_t width);

/// The last part of a path.
std::string file_name(const std::string& path);

}  // namespace weft::report
