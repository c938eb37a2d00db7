#include "transport/tuning.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "transport/transport.hpp"

namespace weft::transport {
namespace {

using base::Error;
using base::Result;

constexpr std::string_view kBlanks = " \t\r\n";

// Takes the first word off `line`; empty where there is none.
std::string_view next_word(std::string_view* line) noexcept {
  const std::size_t begin = line->find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    *line = {};
    return {};
  }
  line->remove_prefix(begin);
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

// Read to its end: neither longer than there is room for, nor with a zero byte in it.
bool is_whole(const char* line, std::FILE* file) noexcept {
  const std::size_t length = std::strlen(line);
  return length > 0 && (line[length - 1] == '\n' || std::feof(file) != 0);
}

bool says_nothing(const char* line) noexcept {
  std::string_view rest = line;
  const std::string_view word = next_word(&rest);
  return word.empty() || word.front() == '#';
}

const char* variable(const char* name) noexcept {
  const char* value = ::secure_getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

bool tuning_path(const base::Options& options, char* path, std::size_t room) noexcept {
  int length = 0;
  if (options.net_file.value != nullptr) {
    length = std::snprintf(path, room, "%s", options.net_file.value);
  } else if (const char* folder = variable("XDG_CONFIG_HOME")) {
    length = std::snprintf(path, room, "%s/weft/network", folder);
  } else if (const char* home = variable("HOME")) {
    length = std::snprintf(path, room, "%s/.config/weft/network", home);
  }
  return length > 0 && static_cast<std::size_t>(length) < room;
}

bool parse_tuning_line(const char* line, TuningLine* parsed) noexcept {
  std::string_view rest = line;
  const std::string_view provider = next_word(&rest);
  const std::string_view key = next_word(&rest);
  const std::string_view number = next_word(&rest);
  if (provider.empty() || provider.size() >= sizeof parsed->provider || key != "copy" || !next_word(&rest).empty()) {
    return false;
  }
  *parsed = {};
  std::memcpy(parsed->provider, provider.data(), provider.size());
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), parsed->copy_bytes);
  return error == std::errc{} && stop == number.data() + number.size() && parsed->copy_bytes <= kMostCopyBytes;
}

Result<std::optional<std::size_t>> read_tuning(const char* path, const char* provider) noexcept {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::optional<std::size_t>();
    }
    return Error::make("cannot read %.300s: %s", path, std::strerror(errno));
  }
  std::optional<std::size_t> found;
  Error problem{};
  char line[256];
  for (int number = 1; std::fgets(line, sizeof line, file) != nullptr; ++number) {
    TuningLine parsed;
    if (is_whole(line, file) && says_nothing(line)) {
      continue;
    }
    if (!is_whole(line, file) || !parse_tuning_line(line, &parsed)) {
      problem =
          Error::make("line %d of %.200s is not of the form \"PROVIDER copy BYTES\"; `weft-perf --tune` writes it anew",
                      number, path);
      break;
    }
    if (std::strcmp(parsed.provider, provider) == 0) {
      found = parsed.copy_bytes;
    }
  }
  if (std::ferror(file) != 0) {  // a folder opens, and then cannot be read
    problem = Error::make("cannot read %.300s: %s", path, std::strerror(errno));
  }
  (void)std::fclose(file);
  if (problem.text()[0] != '\0') {
    return problem;
  }
  return found;
}

Result<CopyChoice> choose_copy(const base::Options& options, const char* provider) noexcept {
  if (options.net_copy.value > static_cast<std::int64_t>(kMostCopyBytes)) {
    return Error::make("WEFT_NET_COPY=%lld: a put copies at most %zu bytes; give a smaller number, or auto",
                       static_cast<long long>(options.net_copy.value), kMostCopyBytes);
  }
  if (options.net_copy.value != base::kAuto) {
    return CopyChoice{static_cast<std::size_t>(options.net_copy.value), "WEFT_NET_COPY", {}};
  }
  char path[kTuningPathRoom];
  if (!tuning_path(options, path, sizeof path)) {
    return CopyChoice{kCopyBytes, "default", {}};
  }
  const auto stored = read_tuning(path, provider);
  if (!stored) {
    return CopyChoice{kCopyBytes, "default", stored.error()};
  }
  if (*stored) {
    return CopyChoice{**stored, "weft-perf --tune", {}};
  }
  return CopyChoice{kCopyBytes, "default", {}};
}

}  // namespace weft::transport
