#include "launch/forward.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weft::launch {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kDrainReads = 64;  // a pipe holds 64 KiB unless somebody made it larger: 1 MiB at most for most users

}  // namespace

Forward::Forward(Poller& poller, int n_pes, bool tagged)
    : poller_(poller),
      sinks_{Sink(STDOUT_FILENO), Sink(STDERR_FILENO)},
      sources_(2 * static_cast<std::size_t>(n_pes)),
      alone_(n_pes == 1),
      tagged_(tagged),
      buffer_(new char[kReadBytes]) {}

Forward::~Forward() { close_all(); }

void Forward::adopt(int pe, int out, int err) {
  const std::uint32_t first = 2 * static_cast<std::uint32_t>(pe);
  sources_[first].fd = out;
  sources_[first + 1].fd = err;
  open_ += 2;
  poll_source(first, true);
  poll_source(first + 1, true);
}

void Forward::readable(std::uint32_t source, std::uint64_t now) {
  // One read for each event: a PE that writes without end must not keep the others from being heard.
  if (sources_[source].fd >= 0 && !paused_[sink_of(source)]) (void)read_some(source, now);
}

void Forward::writable(std::uint32_t sink) {
  sinks_[sink].push();
  after_write(sink);
}

void Forward::drain(int pe, std::uint64_t now) {
  for (std::uint32_t source = 2 * static_cast<std::uint32_t>(pe), end = source + 2; source < end; ++source) {
    for (int reads = 0; reads < kDrainReads && sources_[source].fd >= 0; ++reads) {
      if (!read_some(source, now)) break;
    }
    flush(source);
  }
}

void Forward::flush_idle(std::uint64_t now) {
  for (std::uint32_t sink = 0; sink < 2; ++sink) {
    if (sinks_[sink].has_kept() && !waiting_[sink]) writable(sink);
  }
  if (begun_ == 0) return;
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    if (now >= sources_[i].since + kPatience) flush(i);
  }
}

std::optional<std::uint64_t> Forward::next_flush(std::uint64_t now) const {
  constexpr std::uint64_t kRetry = 10'000'000;  // ns; only for an output that is full and cannot be polled
  std::optional<std::uint64_t> next;
  for (std::size_t sink = 0; sink < 2; ++sink) {
    if (sinks_[sink].has_kept() && !waiting_[sink]) next = now + kRetry;
  }
  if (begun_ == 0) return next;
  for (const Source& source : sources_) {
    if (!source.lines.holds_some()) continue;
    const std::uint64_t due = source.since + kPatience;
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

void Forward::say(std::string_view line) {
  sinks_[1].write_line(line);
  tags_[1].interrupted();
  after_write(1);
}

void Forward::close_all() {
  for (std::uint32_t i = 0; i < sources_.size(); ++i) close_source(i);
}

int Forward::take_broken() {
  const int taken = broken_;
  broken_ = 0;
  return taken;
}

void Forward::pass(std::uint32_t index, std::string_view piece) {
  const std::uint32_t sink = sink_of(index);
  sinks_[sink].write(tagged_ ? tags_[sink].tagged(static_cast<int>(index / 2), piece) : piece);
}

// Passes on the line that was begun, if one was.
void Forward::flush(std::uint32_t index) {
  Source& source = sources_[index];
  if (!source.lines.holds_some()) return;
  --begun_;
  source.lines.flush([&](std::string_view piece) { pass(index, piece); });
  after_write(sink_of(index));
}

bool Forward::read_some(std::uint32_t index, std::uint64_t now) {
  Source& source = sources_[index];
  const ssize_t got = ::read(source.fd, buffer_.get(), kReadBytes);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    close_source(index);
    return false;
  }
  add(index, std::string_view(buffer_.get(), static_cast<std::size_t>(got)), now);
  return true;
}

void Forward::add(std::uint32_t index, std::string_view bytes, std::uint64_t now) {
  Source& source = sources_[index];
  const bool held = source.lines.holds_some();
  const auto pass_on = [&](std::string_view piece) { pass(index, piece); };
  source.lines.add(bytes, pass_on);
  if (alone_) source.lines.flush(pass_on);
  source.since = now;
  begun_ += static_cast<int>(source.lines.holds_some()) - static_cast<int>(held);
  after_write(sink_of(index));
}

void Forward::take(int pe, int stream, std::string_view bytes, std::uint64_t now) {
  const std::uint32_t index = 2 * static_cast<std::uint32_t>(pe) + static_cast<std::uint32_t>(stream);
  if (!told_[sink_of(index)]) add(index, bytes, now);
}

void Forward::ended(int pe) {
  const std::uint32_t first = 2 * static_cast<std::uint32_t>(pe);
  for (const std::uint32_t index : {first, first + 1}) {
    flush(index);
    end_line(index);
  }
}

void Forward::close_source(std::uint32_t index) {
  Source& source = sources_[index];
  if (source.fd < 0) return;
  poll_source(index, false);
  (void)::close(source.fd);
  source.fd = -1;
  --open_;
  flush(index);
  end_line(index);
}

void Forward::end_line(std::uint32_t index) {
  const std::uint32_t sink = sink_of(index);
  if (!tagged_ || !tags_[sink].is_open_for(static_cast<int>(index / 2))) return;
  // Its last line has no end and will get none: what follows begins on a line of its own.
  sinks_[sink].write("\n");
  tags_[sink].interrupted();
  after_write(sink);
}

void Forward::poll_source(std::uint32_t index, bool on) {
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

void Forward::after_write(std::uint32_t sink) {
  Sink& to = sinks_[sink];
  if (to.broken() != 0 && !told_[sink]) {
    told_[sink] = true;
    broken_ = to.broken();
    // The PEs notice at their next write, as they would without us.
    for (std::uint32_t i = sink; i < sources_.size(); i += 2) close_source(i);
  }
  const bool kept = to.has_kept();
  if (kept != waiting_[sink]) {
    if (kept) {
      waiting_[sink] = poller_.add(to.descriptor(), EPOLLOUT, About::kSink, sink);
    } else {
      poller_.remove(to.descriptor());
      waiting_[sink] = false;
    }
  }
  const bool pause = paused_[sink] ? kept : to.is_full();  // once full, it must run empty before reading goes on
  if (pause == paused_[sink]) return;
  paused_[sink] = pause;
  for (std::uint32_t i = sink; i < sources_.size(); i += 2) poll_source(i, !pause);
}

}  // namespace weft::launch
