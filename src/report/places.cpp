#include "report/places.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <vector>

#include "report/words.hpp"

namespace weft::report {
namespace {

// Of one module. A command line has room for more, and nobody reads as many.
constexpr std::size_t kMostPlaces = 2000;

std::string in_hexadecimal(std::uint64_t value) {
  char text[24];
  (void)std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// What the program prints; nothing if it cannot be run.
std::string output_of(std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  (void)::posix_spawn_file_actions_init(&actions);
  (void)::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  (void)::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int problem = ::posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  (void)::posix_spawn_file_actions_destroy(&actions);
  (void)::close(ends[1]);
  std::string text;
  if (problem == 0) {
    char some[8192];
    for (ssize_t got = 0; (got = ::read(ends[0], some, sizeof some)) > 0 || (got < 0 && errno == EINTR);) {
      if (got > 0) text.append(some, static_cast<std::size_t>(got));
    }
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  (void)::close(ends[0]);
  return text;
}

// A damaged recording may name anything, and reading from a pipe or a terminal would wait for ever.
bool may_wait(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

}  // namespace

void describe_places(Profile& profile, const std::string& weft_where) {
  std::map<std::string, std::vector<Place*>> by_module;
  for (Place& place : profile.places) {
    place.where = place.module.empty() ? "many places" : file_name(place.module) + "+" + in_hexadecimal(place.offset);
    std::vector<Place*>& asked = by_module[place.module];
    if (!place.module.empty() && asked.size() < kMostPlaces) asked.push_back(&place);
  }
  if (::access(weft_where.c_str(), X_OK) != 0) return;
  for (const auto& [module, asked] : by_module) {
    if (asked.empty() || may_wait(module)) continue;
    std::vector<std::string> words{weft_where, "-e", module};
    for (const Place* place : asked) words.push_back(in_hexadecimal(place->offset));
    const std::vector<std::string> lines = lines_of(output_of(std::move(words)));
    if (lines.size() != asked.size()) continue;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (!lines[k].empty()) asked[k]->where = lines[k];
    }
  }
}

}  // namespace weft::report
