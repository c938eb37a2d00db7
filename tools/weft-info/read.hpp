// Reading the small files of /proc and /sys.
#pragma once

#include <cstdint>
#include <string>

namespace weft::info {

/// The first line without its end; empty where the file cannot be read.
std::string first_line(const char* path);

/// The number that the file begins with, or `otherwise`.
long number(const char* path, long otherwise);

/// Of "always [madvise] never" the word in brackets.
std::string chosen_word(const char* path);

/// Of lines such as "MemAvailable:   100 kB" that of `key`, in bytes; 0 when there is none.
std::uint64_t kib_line(const char* path, const char* key);

}  // namespace weft::info
