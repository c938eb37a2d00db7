#include "copy/found.hpp"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/lines.hpp"
#include "base/processor.hpp"
#include "copy/file.hpp"

namespace weft::copy {
namespace {

constexpr std::string_view kBegins = "weft-copies 2 glibc ";

// More programs say no more, and their number has one digit.
constexpr int kMostPrograms = 9;

// After so long it is measured anew: a virtual machine may have moved, and a kernel's settings changed.
constexpr std::time_t kOld = std::time_t{30} * 24 * 3600;

// Takes what stands before `end` off the text.
std::string_view next(std::string_view* text, char end) noexcept {
  const std::size_t length = std::min(text->find(end), text->size());
  const std::string_view taken = text->substr(0, length);
  text->remove_prefix(std::min(length + 1, text->size()));
  return taken;
}

template <class Number>
bool read_number(std::string_view text, Number* number) noexcept {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc{} && stop == text.data() + text.size();
}

bool makes_sense(int number, Choice choice, int programs) noexcept {
  return number < kClasses && least_of_class(number) >= kSmall && programs >= 1 && programs <= kMostPrograms &&
         static_cast<int>(choice) >= 1 && static_cast<int>(choice) < kChoices && suits(choice, least_of_class(number));
}

void read_line(std::string_view line, Found* found) noexcept {
  std::size_t bytes = 0;
  int programs = 0;
  if (!read_number(next(&line, ' '), &bytes)) {
    return;
  }
  const std::string_view name = next(&line, ' ');
  const int number = class_number(bytes);
  if (!read_number(line, &programs) || least_of_class(number) != bytes) {
    return;
  }
  for (int k = 1; k < kChoices; ++k) {
    const auto choice = static_cast<Choice>(k);
    if (name == name_of(choice) && makes_sense(number, choice, programs)) {
      found->classes[static_cast<std::size_t>(number)] = {choice, programs};
    }
  }
}

const char* variable(const char* name) noexcept {
  const char* value = ::secure_getenv(name);
  return value != nullptr && value[0] == '/' ? value : nullptr;  // other folders mean another file in each program
}

// The folders that the file lies in, as far as they are missing, for this user alone.
void make_folders(const char* path) noexcept {
  char folder[kFoundPathRoom];
  (void)std::snprintf(folder, sizeof folder, "%s", path);
  for (char* at = std::strchr(folder + 1, '/'); at != nullptr; at = std::strchr(at + 1, '/')) {
    *at = '\0';
    (void)::mkdir(folder, S_IRWXU);
    *at = '/';
  }
}

// Opens what is this user's own file, and no link, pipe or what others may write to. Negative: it cannot be believed.
int open_own(const char* path, int flags) noexcept {
  const int file = ::open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
  struct stat about {};
  if (file >= 0 && (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != ::geteuid() ||
                    (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)) {
    ::close(file);
    return -1;
  }
  return file;
}

Found read_file(int file) noexcept {
  char text[kFoundRoom];
  struct stat about {};
  const ssize_t got = ::pread(file, text, sizeof text, 0);
  if (got <= 0 || ::fstat(file, &about) != 0 || ::time(nullptr) - about.st_mtim.tv_sec > kOld) {
    return {};
  }
  return read_found({text, static_cast<std::size_t>(got)});
}

}  // namespace

Found read_found(std::string_view text) noexcept {
  Found found;
  std::string_view first = next(&text, '\n');
  if (!first.starts_with(kBegins) || first.substr(kBegins.size()) != ::gnu_get_libc_version()) {
    return found;
  }
  while (!text.empty()) {
    read_line(next(&text, '\n'), &found);
  }
  return found;
}

std::size_t write_found(const Found& found, std::span<char, kFoundRoom> text) noexcept {
  // A line is at most 32 characters, and so many classes there are not.
  static_assert(kClasses * 32 + 128 < kFoundRoom);
  int length = std::snprintf(text.data(), text.size(), "%s%.64s\n", kBegins.data(), ::gnu_get_libc_version());
  for (int k = 0; k < kClasses; ++k) {
    const Found::Class& of = found.classes[static_cast<std::size_t>(k)];
    if (of.choice != Choice::kAuto) {
      const auto at = static_cast<std::size_t>(length);
      length += std::snprintf(text.data() + at, text.size() - at, "%zu %.12s %d\n", least_of_class(k),
                              name_of(of.choice), of.programs);
    }
  }
  return static_cast<std::size_t>(length);
}

namespace {

// A byte of a class: the choice in its lower half, the programs in the other.
constexpr int kHalf = 4;
constexpr std::uint64_t kHalfMask = (1U << kHalf) - 1;
static_assert(kMostPrograms <= static_cast<int>(kHalfMask) && kChoices <= static_cast<int>(kHalfMask));
static_assert(kClasses <= static_cast<int>(kToldWords * sizeof(std::uint64_t)));

}  // namespace

void pack_found(const Found& found, std::span<std::uint64_t, kToldWords> words) noexcept {
  std::fill(words.begin(), words.end(), 0);
  for (std::size_t k = 0; k < found.classes.size(); ++k) {
    const Found::Class& of = found.classes[k];
    const std::uint64_t byte = static_cast<std::uint64_t>(of.choice) | static_cast<std::uint64_t>(of.programs) << kHalf;
    words[k / sizeof byte] |= byte << k % sizeof byte * 8;
  }
}

Found unpack_found(std::span<const std::uint64_t, kToldWords> words) noexcept {
  Found found;
  for (std::size_t k = 0; k < found.classes.size(); ++k) {
    const std::uint64_t byte = words[k / sizeof(std::uint64_t)] >> k % sizeof(std::uint64_t) * 8;
    const auto choice = static_cast<Choice>(byte & kHalfMask);
    const int programs = static_cast<int>(byte >> kHalf & kHalfMask);
    if (makes_sense(static_cast<int>(k), choice, programs)) {
      found.classes[k] = {choice, programs};
    }
  }
  return found;
}

Found agree(const Found& before, const Found& now) noexcept {
  Found both = before;
  for (std::size_t k = 0; k < both.classes.size(); ++k) {
    const auto& [choice, programs] = now.classes[k];
    Found::Class& of = both.classes[k];
    if (choice == Choice::kAuto) {
      continue;
    }
    if (of.choice == choice) {
      of.programs = std::min(of.programs + programs, kMostPrograms);
    } else if (of.programs < kAgreed || programs >= kAgreed) {
      of = {choice, programs};
    }
  }
  return both;
}

bool found_path(std::span<char> path) noexcept {
  int length = 0;
  if (const unsigned type = base::processor_type(); type != 0) {
    if (const char* folder = variable("XDG_CACHE_HOME")) {
      length = std::snprintf(path.data(), path.size(), "%s/weft/copies.x86-%08x", folder, type);
    } else if (const char* home = variable("HOME")) {
      length = std::snprintf(path.data(), path.size(), "%s/.cache/weft/copies.x86-%08x", home, type);
    }
  }
  return length > 0 && static_cast<std::size_t>(length) < path.size();
}

void found_name(const char* named, std::span<char, kFoundPathRoom> name) noexcept {
  const bool fits = named == nullptr ? found_path(name) : std::strlen(named) < name.size();
  if (!fits || (named != nullptr && std::strcmp(named, "none") == 0)) {
    name[0] = '\0';
  } else if (named != nullptr) {
    std::memcpy(name.data(), named, std::strlen(named) + 1);
  }
}

std::uint32_t mark_of(const char* name) noexcept {
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
  }
  return static_cast<std::uint32_t>(hash ^ hash >> 32) | 1;
}

std::uint32_t mark_of_file(const char* named) noexcept {
  char name[kFoundPathRoom];
  found_name(named, name);
  return mark_of(name);
}

Found load_found(const char* path) noexcept {
  const int file = open_own(path, O_RDONLY);
  if (file < 0) {
    return {};
  }
  const Found found = read_file(file);
  ::close(file);
  return found;
}

void keep_found(const char* path, const Found& began, const Found& now) noexcept {
  int file = open_own(path, O_RDWR | O_CREAT);
  if (file < 0 && errno == ENOENT) {
    make_folders(path);
    file = open_own(path, O_RDWR | O_CREAT);
  }
  if (file < 0) {
    base::debug("copies: what was found is not kept in %.300s", path);
    return;
  }
  // Other PEs end now too. Who reads in between finds lines that say nothing, or fewer.
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    char text[kFoundRoom];
    const Found before = read_file(file);
    Found added = now;
    for (std::size_t k = 0; k < added.classes.size(); ++k) {
      if (before.classes[k] != began.classes[k]) {
        added.classes[k] = {};
      }
    }
    const std::size_t length = write_found(agree(before, added), text);
    if (::pwrite(file, text, length, 0) != static_cast<ssize_t>(length) ||
        ::ftruncate(file, static_cast<off_t>(length)) != 0) {
      (void)::ftruncate(file, 0);  // a disk that is full: better nothing than a part
    }
  }
  ::close(file);
}

}  // namespace weft::copy
