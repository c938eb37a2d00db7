#include "launch/streams/forward.hpp"

#include <unistd.h>

#include <algorithm>

namespace weft::launch::streams {
Forward::Forward(Poller& poller, int n_pes, bool tagged)
    : poller_(poller),
      sinks_{Sink(STDOUT_FILENO), Sink(STDERR_FILENO)},
      pipes_(poller, n_pes),
      writers_(pipes_.count()),
      alone_(n_pes == 1),
      tagged_(tagged) {}

Forward::~Forward() { close_all(); }

void Forward::adopt(int pe, int out, int err) {
  const std::uint32_t first = 2 * static_cast<std::uint32_t>(pe);
  pipes_.adopt(first, out);
  pipes_.adopt(first + 1, err);
  pipes_.poll(first, true);
  pipes_.poll(first + 1, true);
}

void Forward::readable(std::uint32_t source, std::uint64_t now) {
  // One read for each event: a PE that writes without end must not keep the others from being heard.
  if (pipes_.is_open(source) && !paused_[sink_of(source)]) (void)read_some(source, now);
}

void Forward::writable(std::uint32_t sink) {
  sinks_[sink].push();
  after_write(sink);
}

void Forward::drain(int pe, std::uint64_t now) {
  for (std::uint32_t source = 2 * static_cast<std::uint32_t>(pe), end = source + 2; source < end; ++source) {
    for (int reads = 0; reads < Pipes::kDrainReads && pipes_.is_open(source); ++reads) {
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
  for (std::uint32_t i = 0; i < pipes_.count(); ++i) {
    if (now >= writers_[i].since + kPatience) flush(i);
  }
}

std::optional<std::uint64_t> Forward::next_flush(std::uint64_t now) const {
  constexpr std::uint64_t kRetry = 10'000'000;  // ns; only for an output that is full and cannot be polled
  std::optional<std::uint64_t> next;
  for (std::size_t sink = 0; sink < 2; ++sink) {
    if (sinks_[sink].has_kept() && !waiting_[sink]) next = now + kRetry;
  }
  if (begun_ == 0) return next;
  for (const Writer& writer : writers_) {
    if (!writer.lines.holds_some()) continue;
    const std::uint64_t due = writer.since + kPatience;
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
  for (std::uint32_t i = 0; i < pipes_.count(); ++i) close_source(i);
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
  Writer& writer = writers_[index];
  if (!writer.lines.holds_some()) return;
  --begun_;
  writer.lines.flush([&](std::string_view piece) { pass(index, piece); });
  after_write(sink_of(index));
}

bool Forward::read_some(std::uint32_t index, std::uint64_t now) {
  const std::optional<std::string_view> bytes = pipes_.read(index);
  if (!bytes) close_source(index);
  if (!bytes || bytes->empty()) return false;
  add(index, *bytes, now);
  return true;
}

void Forward::add(std::uint32_t index, std::string_view bytes, std::uint64_t now) {
  Writer& writer = writers_[index];
  const bool held = writer.lines.holds_some();
  const auto pass_on = [&](std::string_view piece) { pass(index, piece); };
  writer.lines.add(bytes, pass_on);
  if (alone_) writer.lines.flush(pass_on);
  writer.since = now;
  begun_ += static_cast<int>(writer.lines.holds_some()) - static_cast<int>(held);
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
  if (!pipes_.close(index)) return;
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

void Forward::after_write(std::uint32_t sink) {
  Sink& to = sinks_[sink];
  if (to.broken() != 0 && !told_[sink]) {
    told_[sink] = true;
    broken_ = to.broken();
    // The PEs notice at their next write, as they would without us.
    for (std::uint32_t i = sink; i < pipes_.count(); i += 2) close_source(i);
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
  for (std::uint32_t i = sink; i < pipes_.count(); i += 2) pipes_.poll(i, !pause);
}

}  // namespace weft::launch::streams
