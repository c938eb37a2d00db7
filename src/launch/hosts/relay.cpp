#include "launch/hosts/relay.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace weft::launch {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kDrainReads = 64;  // a pipe holds 64 KiB unless somebody made it larger

}  // namespace

Relay::Relay(Poller& poller, int n_pes, Pass pass)
    : poller_(poller),
      pass_(std::move(pass)),
      sources_(2 * static_cast<std::size_t>(n_pes)),
      buffer_(new char[kReadBytes]) {}

void Relay::adopt(int pe, int out, int err) {
  const std::uint32_t first = 2 * static_cast<std::uint32_t>(pe);
  sources_[first].fd = out;
  sources_[first + 1].fd = err;
  open_ += 2;
  for (const std::uint32_t source : {first, first + 1}) poll_source(source, !paused_);
}

void Relay::readable(std::uint32_t source) {
  // One read for each event: a PE that writes without end must not keep the others from being heard.
  if (!paused_) (void)read_some(source);
}

void Relay::drain(int pe) {
  for (std::uint32_t source = 2 * static_cast<std::uint32_t>(pe), end = source + 2; source < end; ++source) {
    for (int reads = 0; reads < kDrainReads && read_some(source); ++reads) {
    }
  }
}

void Relay::drain_all() {
  for (std::size_t pe = 0; pe < sources_.size() / 2; ++pe) drain(static_cast<int>(pe));
}

void Relay::passed_on(std::uint64_t bytes) {
  on_the_way_ -= std::min(on_the_way_, bytes);
  pause_or_go_on();
}

void Relay::pause_or_go_on() {
  const bool pause = on_the_way_ >= kWindow;
  if (pause == paused_) return;
  paused_ = pause;
  for (std::uint32_t source = 0; source < sources_.size(); ++source) poll_source(source, !pause);
}

bool Relay::read_some(std::uint32_t source) {
  const int fd = sources_[source].fd;
  if (fd < 0) return false;
  const ssize_t got = ::read(fd, buffer_.get(), kReadBytes);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    close_source(source);
    return false;
  }
  on_the_way_ += static_cast<std::uint64_t>(got);
  pass_(static_cast<int>(source / 2), static_cast<int>(source % 2),
        std::string_view(buffer_.get(), static_cast<std::size_t>(got)));
  pause_or_go_on();
  return true;
}

void Relay::poll_source(std::uint32_t index, bool on) {
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

void Relay::close_source(std::uint32_t index) {
  Source& source = sources_[index];
  if (source.fd < 0) return;
  poll_source(index, false);
  (void)::close(source.fd);
  source.fd = -1;
  --open_;
}

void Relay::close_stream(int stream) {
  for (std::uint32_t source = static_cast<std::uint32_t>(stream); source < sources_.size(); source += 2) {
    close_source(source);
  }
}

void Relay::close_all() {
  for (std::uint32_t source = 0; source < sources_.size(); ++source) close_source(source);
}

}  // namespace weft::launch
