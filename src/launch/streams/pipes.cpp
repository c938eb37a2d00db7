#include "launch/streams/pipes.hpp"

#include <unistd.h>

#include <cerrno>

namespace weft::launch::streams {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

Pipes::Pipes(Poller& poller, int n_pes)
    : poller_(poller), sources_(2 * static_cast<std::size_t>(n_pes)), buffer_(new char[kReadBytes]) {}

Pipes::~Pipes() {
  for (std::uint32_t source = 0; source < count(); ++source) (void)close(source);
}

void Pipes::adopt(std::uint32_t source, int fd) {
  sources_[source].fd = fd;
  ++open_;
}

void Pipes::poll(std::uint32_t index, bool on) {
  Source& source = sources_[index];
  if (source.polled == on || source.fd < 0) return;
  if (on) {
    source.polled = poller_.add(source.fd, EPOLLIN, About::kOutput, index);
  } else {
    // Asking for no events is not enough: a closed writer is always reported.
    poller_.remove(source.fd);
    source.polled = false;
  }
}

std::optional<std::string_view> Pipes::read(std::uint32_t source) {
  ssize_t got = 0;
  do {
    got = ::read(sources_[source].fd, buffer_.get(), kReadBytes);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return std::string_view();
  if (got <= 0) return std::nullopt;
  return std::string_view(buffer_.get(), static_cast<std::size_t>(got));
}

bool Pipes::close(std::uint32_t source) {
  if (!is_open(source)) return false;
  poll(source, false);
  (void)::close(sources_[source].fd);
  sources_[source].fd = -1;
  --open_;
  return true;
}

}  // namespace weft::launch::streams
