#include "launch/command/option_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace weft::launch::command {
namespace {

using base::Error;
using base::Result;

constexpr std::size_t kLargest = 1U << 20;  // nobody writes more; a device without an end would be read for ever
constexpr std::string_view kBlanks = " \t\r";

// Reads the word at the beginning of `text`, which has no blank there, and takes it off. False: a quote is not closed.
bool take_word(std::string_view& text, std::string& word) {
  char quote = '\0';
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == '\0' && kBlanks.find(c) != kBlanks.npos) break;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
    } else {
      word += c;
    }
  }
  text.remove_prefix(at);
  return quote == '\0';
}

// The next line, with those it goes on in; `number` counts lines of the file.
std::string take_line(std::string_view& text, int& number) {
  std::string line;
  for (bool more = true; more && !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (part.ends_with('\r')) part.remove_suffix(1);
    more = part.ends_with('\\');
    if (more) part.remove_suffix(1);
    line.append(part).append(more ? " " : "");
  }
  return line;
}

}  // namespace

Result<std::vector<Words>> read_words(std::string_view text, const std::string& file) {
  std::vector<Words> lines;
  for (int number = 0; !text.empty();) {
    const int before = number;
    const std::string line = take_line(text, number);
    std::string_view rest(line);
    Words words;
    for (;;) {
      rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
      if (rest.empty() || (words.empty() && rest[0] == '#')) break;
      std::string word;
      if (!take_word(rest, word)) {
        return Error::make("%.200s:%d: a quote is not closed; end it on the same line", file.c_str(), before + 1);
      }
      words.push_back(std::move(word));
    }
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

Result<std::vector<Words>> load_words(const std::string& file) {
  // Not blocking: a pipe that nobody writes to would hold us up before we see that it is one.
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  int error = fd < 0 || ::fstat(fd, &status) != 0 ? errno : 0;
  std::string text;
  char buffer[4096];
  ssize_t got = error == 0 && S_ISREG(status.st_mode) ? 1 : 0;
  while (got > 0 && text.size() <= kLargest) {
    got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
  if (got < 0) error = errno;
  if (fd >= 0) (void)::close(fd);
  if (error != 0) return Error::make("%.200s: cannot read this file: %s", file.c_str(), std::strerror(error));
  if (!S_ISREG(status.st_mode) || text.size() > kLargest) {
    return Error::make("%.200s: not a file of options; it must be a plain file of at most 1 MiB", file.c_str());
  }
  return read_words(text, file);
}

}  // namespace weft::launch::command
