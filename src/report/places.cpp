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

#include "report/pages.hpp"
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

// What weft-where says of each address in the file; nothing where it does not say it of all.
std::vector<std::string> lines_about(const std::string& weft_where, const std::string& file,
                                     const std::vector<std::uint64_t>& addresses) {
  std::vector<std::string> words{weft_where, "-e", file};
  for (const std::uint64_t address : addresses) words.push_back(in_hexadecimal(address));
  std::vector<std::string> lines = lines_of(output_of(std::move(words)));
  if (lines.size() != addresses.size()) lines.clear();
  return lines;
}

// The variables at the beginnings of pieces. Where two pieces are of one variable, so is all between them: that is
// found by halves, as there may be very many pieces and few variables.
class Variables {
 public:
  Variables(const MovedMemory& memory, const std::string& weft_where)
      : memory_(memory), weft_where_(weft_where), names_(memory.statics.size()), known_(names_.size()) {}

  std::vector<std::string> find() {
    std::vector<Stretch> open = stretches();
    for (std::size_t asked = 0; !open.empty() && asked < kMostAsked;) {
      std::vector<std::size_t> wanted;
      std::vector<Stretch> later;
      for (const Stretch& each : open) {
        if (wanted.size() + 2 > kMostPlaces) {
          later.push_back(each);
          continue;
        }
        for (const std::size_t end : {each.first, each.last}) {
          if (!known_[end]) {
            wanted.push_back(end);
            known_[end] = true;
          }
        }
      }
      if (!wanted.empty() && !ask(wanted)) return {};
      asked += wanted.size() + 1;
      for (const Stretch& each : open) {
        if (known_[each.first] && known_[each.last]) halve(each, later);
      }
      open = std::move(later);
    }
    return std::move(names_);
  }

 private:
  struct Stretch {
    std::size_t first;
    std::size_t last;
  };
  static constexpr std::size_t kMostAsked = 20000;

  // Pieces that follow each other.
  std::vector<Stretch> stretches() const {
    std::vector<Stretch> found;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (k > 0 && memory_.statics[k] - memory_.statics[k - 1] == memory_.piece) {
        found.back().last = k;
      } else {
        found.push_back({k, k});
      }
    }
    return found;
  }

  void halve(const Stretch& stretch, std::vector<Stretch>& into) {
    const auto [first, last] = stretch;
    if (last - first < 2) return;
    // Nothing is known of what has no name: between two such pieces there may be any variable.
    if (names_[first] == names_[last] && !names_[first].empty()) {
      for (std::size_t k = first + 1; k < last; ++k) {
        names_[k] = names_[first];
        known_[k] = true;
      }
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    into.push_back({first, middle});
    into.push_back({middle, last});
  }

  bool ask(const std::vector<std::size_t>& wanted) {
    std::vector<std::uint64_t> addresses;
    addresses.reserve(wanted.size());
    for (const std::size_t k : wanted) addresses.push_back(memory_.statics[k]);
    const std::vector<std::string> lines = lines_about(weft_where_, memory_.program, addresses);
    for (std::size_t k = 0; k < lines.size(); ++k) names_[wanted[k]] = variable_of(lines[k]);
    return !lines.empty();
  }

  // "table" of "table+0x10"; nothing where it is of the file, or of nothing at all.
  std::string variable_of(const std::string& line) const {
    const std::string name = line.substr(0, line.rfind("+0x"));
    return name == "?" || name == file_name(memory_.program) ? "" : name;
  }

  const MovedMemory& memory_;
  const std::string& weft_where_;
  std::vector<std::string> names_;
  std::vector<bool> known_;
};

}  // namespace

void describe_moved(const Raw& raw, Profile& profile, const std::string& weft_where) {
  MovedMemory memory = moved_memory(raw);
  if (memory.sites.size() > kMostPlaces) memory.sites.resize(kMostPlaces);
  const bool none = memory.statics.empty() && memory.sites.empty();
  if (none || may_wait(memory.program) || ::access(weft_where.c_str(), X_OK) != 0) return;
  MovedNames names;
  if (!memory.statics.empty()) names.statics = Variables(memory, weft_where).find();
  if (!memory.sites.empty()) names.sites = lines_about(weft_where, memory.program, memory.sites);
  name_moved(raw, names, &profile);
}

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
    std::vector<std::uint64_t> offsets;
    offsets.reserve(asked.size());
    for (const Place* place : asked) offsets.push_back(place->offset);
    const std::vector<std::string> lines = lines_about(weft_where, module, offsets);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (!lines[k].empty()) asked[k]->where = lines[k];
    }
  }
}

}  // namespace weft::report
