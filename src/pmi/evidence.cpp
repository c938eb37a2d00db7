#include "pmi/evidence.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "os/process.hpp"

namespace weft::pmi {

base::Result<FileOf> describe_file(int fd) noexcept {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return base::Error::make("cannot look at a file in memory: %s", std::strerror(errno));
  }
  return FileOf{status.st_ino, ::getpid(), fd};
}

bool is_file(int fd, std::uint64_t inode) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_ino == inode;
}

base::Result<int> open_file(const FileOf& file) noexcept {
  char path[64];
  (void)std::snprintf(path, sizeof path, "/proc/%d/fd/%d", file.pid, file.fd);
  // Not what is no regular file: to open a pipe or a device of a stranger could wait, or do something.
  struct stat status {};
  if (::stat(path, &status) != 0) {
    return base::Error::make("cannot look at %s: %s", path, std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode) || status.st_ino != file.inode) {
    return base::Error::make("%s is another file", path);
  }
  const int fd = ::open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return base::Error::make("cannot open %s: %s", path, std::strerror(errno));
  }
  if (!is_file(fd, file.inode)) {
    (void)::close(fd);
    return base::Error::make("%s is another file", path);
  }
  return fd;
}

bool same(const Token& one, const Token& other) noexcept {
  volatile std::uint64_t differences = 0;
  for (int k = 0; k < 2; ++k) {
    differences = differences | (one.value[k] ^ other.value[k]);
  }
  return differences == 0;
}

base::Result<Token> make_token() noexcept {
  Token token;
  if (::getrandom(&token, sizeof token, 0) != static_cast<ssize_t>(sizeof token)) {
    return base::Error::make("cannot get random numbers: %s", std::strerror(errno));
  }
  return token;
}

base::Result<int> make_token_file(const Token& token) noexcept {
  const auto fd = os::make_memory_file("weft-token", sizeof token);
  if (!fd) {
    return fd;
  }
  if (::pwrite(*fd, &token, sizeof token, 0) != static_cast<ssize_t>(sizeof token)) {
    const int why = errno;
    (void)::close(*fd);
    return base::Error::make("cannot write to a file in memory: %s", std::strerror(why));
  }
  (void)::fcntl(*fd, F_SETFD, FD_CLOEXEC);
  return fd;
}

base::Result<void> prove(const FileOf& file, const Token& token) noexcept {
  const auto fd = open_file(file);
  if (!fd) {
    return fd.error();
  }
  Token found;
  const bool read = ::pread(*fd, &found, sizeof found, 0) == static_cast<ssize_t>(sizeof found);
  (void)::close(*fd);
  if (!read || !same(found, token)) {
    return base::Error::make("process %d holds another token", file.pid);
  }
  return {};
}

}  // namespace weft::pmi
