#include "coll/across/speakers.hpp"

#include <algorithm>
#include <bit>

namespace weft::coll::across {

bool MeetingOfAll::step() noexcept {
  static constexpr std::uint64_t kHere = 1;
  if (distance_ >= speakers_.size()) {
    return false;
  }
  messages_.receive(speakers_.pe(speakers_.before(distance_)), &heard_, sizeof heard_);
  messages_.send(speakers_.pe(speakers_.after(distance_)), &kHere, sizeof kHere);
  distance_ *= 2;
  return true;
}

void meet(const Speakers& speakers, Messages& messages) noexcept {
  MeetingOfAll meeting(speakers, messages);
  while (meeting.step()) {
    messages.wait();
  }
}

// Counted from the root on, a parent is its child without the highest bit.
void hear(const Speakers& speakers, Messages& messages, int root, void* data, std::size_t bytes) noexcept {
  const int n = speakers.size();
  const auto place = static_cast<unsigned>((speakers.me() - root + n) % n);
  if (place > 0) {
    const int parent = static_cast<int>(place - std::bit_floor(place));
    messages.receive(speakers.pe((parent + root) % n), data, bytes);
  }
}

void pass_on(const Speakers& speakers, Messages& messages, int root, const void* data, std::size_t bytes) noexcept {
  const int n = speakers.size();
  const int place = (speakers.me() - root + n) % n;
  for (int bit = static_cast<int>(2 * std::bit_floor(static_cast<unsigned>(place))) | (place == 0 ? 1 : 0);
       place + bit < n; bit *= 2) {
    messages.send(speakers.pe((place + bit + root) % n), data, bytes);
  }
}

namespace {

// Calls run(first byte, bytes) for the blocks of some domains from one on, round and round: those that are neighbours
// in memory go in one message.
template <class Run>
void each_run(const group::Span& span, const Blocks& blocks, int first, int domains, Run&& run) {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  const auto add = [&](std::uint64_t at, std::uint64_t bytes) {
    if (at != end && bytes > 0) {
      run(begin, end - begin);
      begin = at;
      end = at;
    }
    end += bytes;
  };
  for (int k = 0; k < domains; ++k) {
    const group::Domain& domain = span.domains[(first + k) % span.count];
    if (domain.is_run()) {
      const int last = domain.first + domain.size - 1;
      add(blocks.begin(domain.first), blocks.begin(last) + blocks.bytes(last) - blocks.begin(domain.first));
      continue;
    }
    for (int seat = 0; seat < domain.size; ++seat) {
      add(blocks.begin(domain.member(seat)), blocks.bytes(domain.member(seat)));
    }
  }
  run(begin, end - begin);
}

}  // namespace

// Behind each round everybody has what twice as many had. Where the last one asks for the own blocks only, it need not
// wait for the one before.
void exchange_blocks(const group::Span& span, Messages& messages, std::byte* dest, const Blocks& blocks) noexcept {
  const Speakers speakers(span);
  for (int distance = 1; distance < speakers.size(); distance *= 2) {
    const int domains = std::min(distance, speakers.size() - distance);
    const int from = speakers.before(distance);
    const int to = speakers.after(distance);
    if (domains > 1) {
      messages.wait();
    }
    // The last of them is the own one of who sends.
    const int passed_on = domains - 1;
    each_run(
        span, blocks, speakers.before(distance + passed_on), domains,
        [&](std::uint64_t begin, std::uint64_t bytes) { messages.receive(speakers.pe(from), dest + begin, bytes); });
    each_run(span, blocks, speakers.before(passed_on), domains,
             [&](std::uint64_t begin, std::uint64_t bytes) { messages.send(speakers.pe(to), dest + begin, bytes); });
  }
  messages.wait();
}

}  // namespace weft::coll::across
