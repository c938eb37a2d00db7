#include "reach/identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::reach {
namespace {

constexpr std::size_t kText = 4096;

// Empty where it cannot be read.
void read_text(const char* path, char (&text)[kText]) noexcept {
  text[0] = '\0';
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return;
  }
  const ssize_t length = ::read(fd, text, sizeof text - 1);
  text[length > 0 ? length : 0] = '\0';
  (void)::close(fd);
}

struct Users {
  long real = -1;
  long effective = -1;
  long saved = -1;
  bool operator==(const Users&) const = default;
};

Users users_of(std::int32_t pid) noexcept {
  char path[48];
  char text[kText];
  (void)std::snprintf(path, sizeof path, "/proc/%d/status", pid);
  read_text(path, text);
  Users users;
  const char* line = std::strstr(text, "\nUid:");
  if (line != nullptr) {
    (void)std::sscanf(line, "\nUid: %ld %ld %ld", &users.real, &users.effective, &users.saved);
  }
  return users;
}

// What a process owns in /proc belongs to its user, or to root where the process may not be looked into.
bool is_dumpable(std::int32_t pid, const Users& users) noexcept {
  char path[48];
  struct stat status {};
  (void)std::snprintf(path, sizeof path, "/proc/%d/environ", pid);
  return ::stat(path, &status) != 0 || static_cast<long>(status.st_uid) == users.effective;
}

}  // namespace

std::uint64_t start_of(std::int32_t pid) noexcept {
  char path[48];
  char text[kText];
  (void)std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  read_text(path, text);
  // The second field is the name in parentheses, which may hold any; the state is the third, the start the 22nd.
  const char* at = std::strrchr(text, ')');
  if (at == nullptr || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X') {
    return 0;
  }
  for (int field = 2; field < 22; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at == nullptr) {
      return 0;
    }
  }
  return std::strtoull(at, nullptr, 10);
}

std::uint64_t space_of_own(const char* kind) noexcept {
  char path[48];
  struct stat status {};
  (void)std::snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
  return ::stat(path, &status) == 0 ? status.st_ino : 0;
}

int ptrace_scope(const Systems& systems) noexcept {
  char text[kText];
  read_text(systems.ptrace_scope, text);
  return std::atoi(text);
}

Reason try_on_self() noexcept {
  std::uint64_t from = 1;
  std::uint64_t to = 0;
  const iovec here{&to, sizeof to};
  const iovec there{&from, sizeof from};
  // The kernel always lets a process reach into itself.
  if (::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == sizeof to &&
      ::process_vm_writev(::getpid(), &here, 1, &there, 1, 0) == sizeof to) {
    return {};
  }
  return {Why::kSeccomp, errno};
}

Reason still_there(const Card& card) noexcept {
  if (card.pid <= 0) {
    return {Why::kBadCard};
  }
  if (card.pid_space != space_of_own("pid")) {
    return {Why::kPidSpace};
  }
  const std::uint64_t started = start_of(card.pid);
  if (started == 0) {
    return {Why::kGone};
  }
  return started == card.started ? Reason{} : Reason{Why::kOtherProcess};
}

Reason why_refused(const Card& card, const Systems& systems, int error) noexcept {
  if (const Reason filtered = try_on_self()) {
    return filtered;
  }
  if (card.user_space != space_of_own("user")) {
    return {Why::kUserSpace};
  }
  const Users theirs = users_of(card.pid);
  const Users ours{static_cast<long>(::getuid()), static_cast<long>(::getuid()), static_cast<long>(::getuid())};
  if (theirs.real == -1) {
    return {Why::kGone};
  }
  if (theirs != ours) {
    return {Why::kOtherUser};
  }
  if (!is_dumpable(card.pid, theirs)) {
    return {Why::kNotDumpable};
  }
  if (const int scope = ptrace_scope(systems); scope > 0) {
    return {Why::kPtraceScope, scope};
  }
  return {Why::kRefused, error};
}

}  // namespace weft::reach
