#include "store.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "transport/tuning.hpp"

namespace weft::perf {
namespace {

constexpr const char* kHead = "# Measured by weft-perf --tune and read by jobs of several nodes: see weft-perf(1).\n";

bool is_comment(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  return begin != std::string::npos && line[begin] == '#';
}

}  // namespace

std::string with_line(const std::string& text, const std::string& provider, std::size_t copy_bytes) {
  std::string made;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    transport::TuningLine parsed{};
    const bool of_another = transport::parse_tuning_line(line.c_str(), &parsed) && provider != parsed.provider;
    if (is_comment(line) || of_another) made += line + "\n";
  }
  if (made.empty()) made = kHead;
  return made + provider + " copy " + std::to_string(copy_bytes) + "\n";
}

std::string store(const std::string& path, const std::string& provider, std::size_t copy_bytes) {
  const std::filesystem::path file(path);
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  if (error) return "cannot make the folder of " + path + ": " + error.message();
  std::ostringstream before;
  if (std::ifstream old(file); old) before << old.rdbuf();
  const std::string fresh = path + "." + std::to_string(::getpid());
  std::ofstream out(fresh, std::ios::trunc);
  out << with_line(before.str(), provider, copy_bytes);
  out.close();
  if (!out) {
    const std::string why = std::strerror(errno);
    std::filesystem::remove(fresh, error);
    return "cannot write " + fresh + ": " + why;
  }
  std::filesystem::rename(fresh, file, error);
  if (!error) return "";
  const std::string why = error.message();
  std::filesystem::remove(fresh, error);
  return "cannot write " + path + ": " + why;
}

}  // namespace weft::perf
