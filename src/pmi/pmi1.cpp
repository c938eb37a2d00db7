#include "pmi/pmi1.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace weft::pmi {
namespace {

// Values longer than some managers' lines go in pieces.
constexpr std::size_t kMostPiece = 1000;

void to_hex(std::span<const std::byte> bytes, char* text) noexcept {
  for (const std::byte byte : bytes) {
    (void)std::snprintf(text, 3, "%02x", static_cast<unsigned>(byte));
    text += 2;
  }
}

int digit(char c) noexcept { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

bool from_hex(const char* text, std::span<std::byte> bytes) noexcept {
  for (std::byte& byte : bytes) {
    const int high = digit(text[0]);
    const int low = high < 0 ? -1 : digit(text[1]);
    if (low < 0) {
      return false;
    }
    byte = static_cast<std::byte>(high * 16 + low);
    text += 2;
  }
  return *text == '\0';
}

// One name for the piece of a value of a PE.
void name_piece(char* name, std::size_t room, int pe, const char* key, std::size_t piece) noexcept {
  (void)std::snprintf(name, room, "weft-%d-%s-%zu", pe, key, piece);
}

}  // namespace

base::Result<void> Pmi1::open(int fd, int rank, int size) noexcept {
  fd_ = fd;
  rank_ = rank;
  size_ = size;
  if (rank >= size) {
    return base::Error::make("PMI_RANK is %d, but PMI_SIZE is %d", rank, size);
  }
  if (const auto fits = check_place(rank, size); !fits) {
    return fits;
  }
  if (const auto hello = ask("response_to_init", limit_ms_, "cmd=init pmi_version=1 pmi_subversion=1\n"); !hello) {
    return hello;
  }
  if (const auto maxes = ask("maxes", limit_ms_, "cmd=get_maxes\n"); !maxes) {
    return maxes;
  }
  char key_bytes[16];
  char value_bytes[16];
  if (!field("keylen_max", key_bytes, sizeof key_bytes) || !field("vallen_max", value_bytes, sizeof value_bytes)) {
    return base::Error::make("the process manager does not tell the sizes of its store: \"%s\"", line_);
  }
  constexpr int kLeastKey = 40;
  constexpr int kLeastValue = 64;
  if (std::atoi(key_bytes) < kLeastKey || std::atoi(value_bytes) < kLeastValue) {
    return base::Error::make(
        "the process manager's store has keys of %s and values of %s characters; %d and %d are needed", key_bytes,
        value_bytes, kLeastKey, kLeastValue);
  }
  // One less for managers that count the end of the string; even, as a byte is two digits.
  most_value_ = std::min(static_cast<std::size_t>(std::atoi(value_bytes)) - 1, kMostPiece) & ~std::size_t{1};
  if (const auto store = ask("my_kvsname", limit_ms_, "cmd=get_my_kvsname\n"); !store) {
    return store;
  }
  if (!field("kvsname", store_, sizeof store_)) {
    return base::Error::make("the process manager does not name its store: \"%s\"", line_);
  }
  // What this process starts is no PE.
  (void)::fcntl(fd_, F_SETFD, FD_CLOEXEC);
  return {};
}

base::Result<void> Pmi1::put(const char* key, std::span<const std::byte> value) noexcept {
  char hex[2 * kMostValue + 1];
  if (value.size() > kMostValue) {
    return base::Error::make("a value of %zu bytes is too long for a process manager", value.size());
  }
  to_hex(value, hex);
  const std::size_t characters = 2 * value.size();
  for (std::size_t at = 0, piece = 0; at < characters; at += most_value_, ++piece) {
    char name[64];
    name_piece(name, sizeof name, rank_, key, piece);
    const int part = static_cast<int>(std::min(most_value_, characters - at));
    if (const auto done =
            ask("put_result", limit_ms_, "cmd=put kvsname=%s key=%s value=%.*s\n", store_, name, part, hex + at);
        !done) {
      return done;
    }
  }
  return {};
}

base::Result<void> Pmi1::fence() noexcept { return ask("barrier_out", kNoLimit, "cmd=barrier_in\n"); }

bool Pmi1::fence_within(int milliseconds) noexcept {
  return static_cast<bool>(ask("barrier_out", milliseconds, "cmd=barrier_in\n"));
}

base::Result<void> Pmi1::get(int pe, const char* key, std::span<std::byte> value) noexcept {
  const std::size_t characters = 2 * value.size();
  for (std::size_t at = 0, piece = 0; at < characters; at += most_value_, ++piece) {
    char name[64];
    name_piece(name, sizeof name, pe, key, piece);
    if (const auto done = ask("get_result", limit_ms_, "cmd=get kvsname=%s key=%s\n", store_, name); !done) {
      return done;
    }
    const std::size_t part = std::min(most_value_, characters - at);
    char hex[kMostPiece + 1];
    if (!field("value", hex, sizeof hex) || std::strlen(hex) != part ||
        !from_hex(hex, value.subspan(at / 2, part / 2))) {
      return base::Error::make(
          "what PE %d put in the process manager's store came back damaged: \"%.200s\"; do all PEs run the same Weft?",
          pe, line_);
    }
  }
  return {};
}

// From signal handlers too.
void Pmi1::abort(int status, const char* message) noexcept {
  char line[256];
  // Slurm passes the text on, hydra looks at the code only.
  const int bytes = std::snprintf(line, sizeof line, "cmd=abort exitcode=%d\n", status);
  (void)message;
  (void)send(line, static_cast<std::size_t>(bytes));
}

void Pmi1::finalize() noexcept { (void)ask("finalize_ack", limit_ms_, "cmd=finalize\n"); }

base::Result<void> Pmi1::ask(const char* wanted, int limit_ms, const char* format, ...) noexcept {
  char line[kMostLine];
  va_list args;
  va_start(args, format);
  const int bytes = std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (const auto sent = send(line, static_cast<std::size_t>(bytes)); !sent) {
    return sent;
  }
  if (const auto came = receive(limit_ms); !came) {
    return came;
  }
  char what[64];
  if (!field("cmd", what, sizeof what) || std::strcmp(what, wanted) != 0) {
    line[std::strcspn(line, " \n")] = '\0';
    return base::Error::make("the process manager answered \"%s\" with \"%.200s\"", line, line_);
  }
  char code[16];
  if (field("rc", code, sizeof code) && std::strcmp(code, "0") != 0) {
    line[std::strcspn(line, "\n")] = '\0';
    return base::Error::make("the process manager refused \"%.160s\": \"%.200s\"", line, line_);
  }
  return {};
}

base::Result<void> Pmi1::send(const char* line, std::size_t bytes) noexcept {
  while (bytes > 0) {
    // A manager that has gone must not end the PE by a signal before it can say why it ends.
    ssize_t done = ::send(fd_, line, bytes, MSG_NOSIGNAL);
    if (done < 0 && errno == ENOTSOCK) {
      done = ::write(fd_, line, bytes);
    }
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      return base::Error::make("cannot speak to the process manager on descriptor %d (PMI_FD): %s", fd_,
                               std::strerror(errno));
    }
    line += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return {};
}

base::Result<void> Pmi1::receive(int limit_ms) noexcept {
  bool told = false;
  for (;;) {
    if (const char* end = static_cast<const char*>(std::memchr(pending_, '\n', n_pending_)); end != nullptr) {
      const auto bytes = static_cast<std::size_t>(end - pending_);
      std::memcpy(line_, pending_, bytes);
      line_[bytes] = '\0';
      n_pending_ -= bytes + 1;
      std::memmove(pending_, end + 1, n_pending_);
      return {};
    }
    if (n_pending_ == sizeof pending_) {
      return base::Error::make("the process manager sends lines of more than %zu characters", sizeof pending_);
    }
    pollfd there{fd_, POLLIN, 0};
    const int ready = ::poll(&there, 1, limit_ms == kNoLimit ? kLongFenceSeconds * 1000 : limit_ms);
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready == 0 && limit_ms == kNoLimit) {
      if (!told) {
        tell_of_long_fence(*this);
        told = true;
      }
      continue;
    }
    if (ready == 0) {
      return base::Error::make("the process manager does not answer on descriptor %d (PMI_FD) within %d ms", fd_,
                               limit_ms);
    }
    const ssize_t got = ::read(fd_, pending_ + n_pending_, sizeof pending_ - n_pending_);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return base::Error::make("the process manager has gone (descriptor %d, PMI_FD): %s", fd_,
                               got == 0 ? "it closed the connection" : std::strerror(errno));
    }
    n_pending_ += static_cast<std::size_t>(got);
  }
}

bool Pmi1::field(const char* key, char* value, std::size_t room) const noexcept {
  const std::size_t length = std::strlen(key);
  for (const char* at = line_; *at != '\0';) {
    const std::size_t word = std::strcspn(at, " ");
    if (word > length && at[length] == '=' && std::strncmp(at, key, length) == 0) {
      const std::size_t bytes = word - length - 1;
      if (bytes >= room) {
        return false;
      }
      std::memcpy(value, at + length + 1, bytes);
      value[bytes] = '\0';
      return true;
    }
    at += word;
    at += std::strspn(at, " ");
  }
  return false;
}

}  // namespace weft::pmi
