#include "pmi/names.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pmi/arrays.hpp"

namespace weft::pmi {
namespace {

// In the kernel's list a name without a file begins so.
constexpr char kNoFile = '@';

constexpr char kList[] = "/proc/self/net/unix";

// The lines of a file of /proc, which is closed then, each given to `take` without its end.
template <class Take>
bool each_line(int fd, Take&& take) noexcept {
  char buffer[4096];
  std::size_t kept = 0;
  for (;;) {
    const ssize_t got = ::read(fd, buffer + kept, sizeof buffer - 1 - kept);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      const int why = errno;
      (void)::close(fd);
      errno = why;
      return got == 0;
    }
    kept += static_cast<std::size_t>(got);
    buffer[kept] = '\0';
    char* line = buffer;
    for (char* end = std::strchr(line, '\n'); end != nullptr; end = std::strchr(line, '\n')) {
      *end = '\0';
      take(line);
      line = end + 1;
    }
    kept -= static_cast<std::size_t>(line - buffer);
    std::memmove(buffer, line, kept);
    kept = kept == sizeof buffer - 1 ? 0 : kept;  // a line as long as that is none of ours
  }
}

}  // namespace

// With the process numbers' space and the user, as another one's PEs are of no use.
JobName name_of_job(const char* job) noexcept {
  struct stat space {};
  const std::uint64_t pids = ::stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino : 0;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  const auto mix = [&hash](std::uint64_t byte) noexcept { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char* c = job; *c != '\0'; ++c) {
    mix(static_cast<unsigned char>(*c));
  }
  for (int shift = 0; shift < 64; shift += 8) {
    mix(pids >> shift & 0xff);
    mix(std::uint64_t{::getuid()} >> shift & 0xff);
  }
  JobName name{};
  (void)std::snprintf(name.text, sizeof name.text, "weft-pe-%016llx-", static_cast<unsigned long long>(hash));
  return name;
}

base::Result<int> take_name(const char* job, int pe) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // Behind a null byte: no file.
  const int length =
      std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s%d", name_of_job(job).text, pe);
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return base::Error::make("cannot make a socket: %s", std::strerror(errno));
  }
  const std::size_t bytes = offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(bytes)) != 0) {
    const int why = errno;
    (void)::close(fd);
    return base::Error::make("cannot take the name %s for PE %d: %s", address.sun_path + 1, pe, std::strerror(why));
  }
  return fd;
}

int pe_in_line(const char* line, const char* job) noexcept {
  const char* const at = std::strrchr(line, kNoFile);
  const std::size_t length = std::strlen(job);
  if (at == nullptr || std::strncmp(at + 1, job, length) != 0) {
    return -1;
  }
  const char* const number = at + 1 + length;
  char* end = nullptr;
  const long pe = std::strtol(number, &end, 10);
  // As it was written: others may have been put there by anybody.
  const bool plain = *number >= '0' && *number <= '9' && (*number != '0' || number[1] == '\0');
  return plain && *end == '\0' && pe <= INT32_MAX ? static_cast<int>(pe) : -1;
}

base::Result<int> open_names() noexcept {
  const int fd = ::open(kList, O_RDONLY | O_CLOEXEC);
  return fd >= 0 ? base::Result<int>(fd) : base::Error::make("cannot open %s: %s", kList, std::strerror(errno));
}

base::Result<Named> find_named(int names, const char* job, int most) noexcept {
  const JobName name = name_of_job(job);
  Named found{make_array<std::int32_t>(most), 0};
  if (found.pes == nullptr) {
    return no_memory(most);
  }
  const bool read = each_line(names, [&](const char* line) noexcept {
    const int pe = pe_in_line(line, name.text);
    if (pe >= 0 && pe < most) {
      found.pes[pe] = 1;
    }
  });
  if (!read) {
    const int why = errno;
    drop_array(found.pes, most);
    return base::Error::make("cannot read %s: %s", kList, std::strerror(why));
  }
  // Each once, however often it is listed: sockets of other kinds can have the same name.
  for (int pe = 0; pe < most; ++pe) {
    if (found.pes[pe] != 0) {
      found.pes[found.n++] = pe;
    }
  }
  return found;
}

}  // namespace weft::pmi
