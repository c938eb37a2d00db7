#include "read.hpp"

#include <cstdlib>
#include <fstream>

namespace weft::info {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

long number(const char* path, long otherwise) {
  const std::string line = first_line(path);
  char* end = nullptr;
  const long value = std::strtol(line.c_str(), &end, 10);
  return end == line.c_str() ? otherwise : value;
}

std::string chosen_word(const char* path) {
  const std::string line = first_line(path);
  const std::size_t begin = line.find('[');
  const std::size_t end = line.find(']');
  return begin == std::string::npos || end == std::string::npos ? "" : line.substr(begin + 1, end - begin - 1);
}

std::uint64_t kib_line(const char* path, const char* key) {
  std::ifstream file(path);
  const std::string begin = std::string(key) + ":";
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, begin.size(), begin) == 0)
      return std::strtoull(line.c_str() + begin.size(), nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace weft::info
