#include "launch/hosts/relay.hpp"

#include <algorithm>
#include <utility>

namespace weft::launch::hosts {

Relay::Relay(streams::Poller& poller, int n_pes, Pass pass) : pass_(std::move(pass)), pipes_(poller, n_pes) {}

void Relay::adopt(int pe, int out, int err) {
  const std::uint32_t first = 2 * static_cast<std::uint32_t>(pe);
  pipes_.adopt(first, out);
  pipes_.adopt(first + 1, err);
  for (const std::uint32_t source : {first, first + 1}) pipes_.poll(source, !paused_);
}

void Relay::readable(std::uint32_t source) {
  // One read for each event: a PE that writes without end must not keep the others from being heard.
  if (!paused_) (void)read_some(source);
}

void Relay::drain(int pe) {
  for (std::uint32_t source = 2 * static_cast<std::uint32_t>(pe), end = source + 2; source < end; ++source) {
    for (int reads = 0; reads < streams::Pipes::kDrainReads && read_some(source); ++reads) {
    }
  }
}

void Relay::drain_all() {
  for (std::uint32_t pe = 0; pe < pipes_.count() / 2; ++pe) drain(static_cast<int>(pe));
}

void Relay::passed_on(std::uint64_t bytes) {
  on_the_way_ -= std::min(on_the_way_, bytes);
  pause_or_go_on();
}

void Relay::pause_or_go_on() {
  const bool pause = on_the_way_ >= kWindow;
  if (pause == paused_) return;
  paused_ = pause;
  for (std::uint32_t source = 0; source < pipes_.count(); ++source) pipes_.poll(source, !pause);
}

bool Relay::read_some(std::uint32_t source) {
  if (!pipes_.is_open(source)) return false;
  const std::optional<std::string_view> bytes = pipes_.read(source);
  if (!bytes) (void)pipes_.close(source);
  if (!bytes || bytes->empty()) return false;
  on_the_way_ += bytes->size();
  pass_(static_cast<int>(source / 2), static_cast<int>(source % 2), *bytes);
  pause_or_go_on();
  return true;
}

void Relay::close_stream(int stream) {
  for (std::uint32_t source = static_cast<std::uint32_t>(stream); source < pipes_.count(); source += 2) {
    (void)pipes_.close(source);
  }
}

void Relay::close_all() {
  for (std::uint32_t source = 0; source < pipes_.count(); ++source) (void)pipes_.close(source);
}

}  // namespace weft::launch::hosts
