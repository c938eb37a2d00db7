#include "world.hpp"

#include <algorithm>

namespace weft::scale {

void Network::send(int from, int to, std::size_t bytes, std::function<void()> arrived) {
  End& out = ends_[static_cast<std::size_t>(from)];
  End& in = ends_[static_cast<std::size_t>(to)];
  if (out.off || in.off) return;
  const auto takes = static_cast<Ns>(static_cast<double>(bytes) / rates_.bytes_per_ns);
  out.out_free = std::max(events_.now(), out.out_free) + takes;
  // The first byte comes a latency after it went; others may be on their way into that machine.
  in.in_free = std::max(out.out_free + rates_.latency - takes, in.in_free) + takes;
  for (Traffic* const traffic : {&all_, &out.sent, &in.heard}) {
    ++traffic->messages;
    traffic->bytes += bytes;
  }
  on_the_way_ += bytes;
  most_ = std::max(most_, on_the_way_);
  events_.at(in.in_free, [this, &in, bytes, arrived = std::move(arrived)] {
    on_the_way_ -= bytes;
    if (!in.off) arrived();
  });
}

}  // namespace weft::scale
