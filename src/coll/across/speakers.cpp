#include "coll/across/speakers.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"

namespace weft::coll::across {
namespace {

// Up to so many bytes what counts is how often somebody waits for a message, above it what passes through the network.
constexpr std::size_t kSmall = 16384;
// More is combined piece after piece, which bounds the memory needed.
constexpr std::size_t kCombinedAtATime = std::size_t{8} << 20;
// Partners of an exchange whose messages are under way at a time.
constexpr int kPartners = 16;
// So little is kept on the stack.
constexpr std::size_t kFew = group::kWords * sizeof(std::uint64_t);

// Doubling: in each round everybody combines what twice as many had. Speakers beyond a power of two give theirs to a
// neighbour first and get the result from it.
void combine_by_doubling(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept {
  Messages& messages = talk.messages;
  const int places = static_cast<int>(std::bit_floor(static_cast<unsigned>(speakers.size())));
  const int pairs = speakers.size() - places;
  const int me = speakers.me();
  alignas(64) std::byte few[kFew];
  const Scratch more(talk.room, elements.bytes() > kFew ? elements.bytes() : 0);
  void* mine = data;
  void* theirs = elements.bytes() > kFew ? more.get() : few;
  const auto take_in = [&](bool they_come_first) {
    if (they_come_first) {
      elements.combine(theirs, theirs, mine, elements.count);
      std::swap(mine, theirs);
    } else {
      elements.combine(mine, mine, theirs, elements.count);
    }
  };
  const bool gives = me < 2 * pairs && me % 2 == 0;
  if (gives) {
    messages.send(speakers.pe(me + 1), mine, elements.bytes());
    messages.wait();
    messages.receive(speakers.pe(me + 1), mine, elements.bytes());
    messages.wait();
    return;
  }
  if (me < 2 * pairs) {
    messages.receive(speakers.pe(me - 1), theirs, elements.bytes());
    messages.wait();
    take_in(true);
  }
  const int place = me < 2 * pairs ? me / 2 : me - pairs;
  for (int distance = 1; distance < places; distance *= 2) {
    const int other = place ^ distance;
    const int partner = other < pairs ? 2 * other + 1 : other + pairs;
    messages.receive(speakers.pe(partner), theirs, elements.bytes());
    messages.send(speakers.pe(partner), mine, elements.bytes());
    messages.wait();
    take_in(other < place);
  }
  if (me < 2 * pairs) {
    messages.send(speakers.pe(me - 1), mine, elements.bytes());
    messages.wait();
  }
  if (mine != data) {
    copy::copy(data, mine, elements.bytes());
  }
}

}  // namespace

void meet(const Speakers& speakers, Messages& messages) noexcept {
  static constexpr std::uint64_t kHere = 1;
  for (int distance = 1; distance < speakers.size(); distance *= 2) {
    std::uint64_t heard = 0;
    messages.receive(speakers.pe(speakers.before(distance)), &heard, sizeof heard);
    messages.send(speakers.pe(speakers.after(distance)), &kHere, sizeof kHere);
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

Shares::Shares(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept
    : speakers_(speakers),
      messages_(talk.messages),
      data_(static_cast<std::byte*>(data)),
      elements_(elements),
      mine_(bytes(speakers.me())),
      room_(talk.room, mine_ * static_cast<std::size_t>(speakers.size())) {}

std::size_t Shares::need(int speakers, std::size_t count, std::size_t element) noexcept {
  return Room::need(largest_share(speakers, count, element) * static_cast<std::size_t>(speakers));
}

std::size_t Shares::bytes(int speaker) const noexcept {
  const Share share = share_of(speaker, speakers_.size(), elements_.count, elements_.element);
  return (share.end - share.begin) * elements_.element;
}

std::byte* Shares::at(int speaker) const noexcept {
  return data_ + share_of(speaker, speakers_.size(), elements_.count, elements_.element).begin * elements_.element;
}

void Shares::give_out() noexcept {
  for (int distance = 1; distance < speakers_.size(); ++distance) {
    const int from = speakers_.before(distance);
    const int to = speakers_.after(distance);
    messages_.receive(speakers_.pe(from), part(from), mine_);
    messages_.send(speakers_.pe(to), at(to), bytes(to));
  }
}

void Shares::tell() noexcept {
  const int me = speakers_.me();
  if (mine_ > 0) {
    const std::size_t count = mine_ / elements_.element;
    const auto source = [&](int speaker) { return speaker == me ? at(me) : part(speaker); };
    // Into the first part: nobody needs it afterwards.
    elements_.combine(part(0), source(0), source(1), count);
    for (int speaker = 2; speaker < speakers_.size(); ++speaker) {
      elements_.combine(part(0), part(0), source(speaker), count);
    }
    copy::copy(at(me), part(0), mine_);
  }
  for (int distance = 1; distance < speakers_.size(); ++distance) {
    const int from = speakers_.before(distance);
    messages_.receive(speakers_.pe(from), at(from), bytes(from));
    messages_.send(speakers_.pe(speakers_.after(distance)), at(me), mine_);
  }
}

std::size_t need_of_all(int speakers, std::size_t count, std::size_t element) noexcept {
  const std::size_t bytes = count * element;
  if (speakers == 1 || bytes <= kFew) {
    return 0;
  }
  return bytes <= kSmall
             ? Room::need(bytes)
             : Shares::need(speakers, std::min(count, elements_at_a_time(kCombinedAtATime, element)), element);
}

void combine_all(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept {
  if (speakers.size() == 1) {
    return;
  }
  if (elements.bytes() <= kSmall) {
    combine_by_doubling(speakers, talk, data, elements);
    return;
  }
  const std::size_t most = elements_at_a_time(kCombinedAtATime, elements.element);
  for (std::size_t begin = 0; begin < elements.count; begin += most) {
    const std::size_t count = std::min(most, elements.count - begin);
    Shares shares(speakers, talk, static_cast<std::byte*>(data) + begin * elements.element,
                  {count, elements.element, elements.combine});
    shares.give_out();
    talk.messages.wait();
    shares.tell();
    talk.messages.wait();
  }
}

std::size_t need_before(std::size_t bytes) noexcept { return Room::need(2 * bytes); }

bool combine_before(const Speakers& speakers, Talk talk, void* data, void* before, const Elements& elements) noexcept {
  Messages& messages = talk.messages;
  const std::size_t bytes = elements.bytes();
  const int me = speakers.me();
  const Scratch room(talk.room, 2 * bytes);
  void* mine = data;  // of those from me - distance + 1 to me
  void* theirs = room.get();
  void* sum = room.get() + bytes;
  for (int distance = 1; distance < speakers.size(); distance *= 2) {
    if (me >= distance) {
      messages.receive(speakers.pe(me - distance), theirs, bytes);
    }
    if (me + distance < speakers.size()) {
      messages.send(speakers.pe(me + distance), mine, bytes);
    }
    messages.wait();
    if (me < distance) {
      continue;
    }
    if (me + 2 * distance < speakers.size()) {
      elements.combine(sum, theirs, mine, elements.count);
      std::swap(sum, mine);
    }
    if (distance == 1) {
      copy::copy(before, theirs, bytes);
    } else {
      elements.combine(theirs, theirs, before, elements.count);
      copy::copy(before, theirs, bytes);
    }
  }
  return me > 0;
}

void exchange_blocks(const group::Span& span, Messages& messages, std::byte* dest, const Blocks& blocks) noexcept {
  // Blocks of neighbours go in one message.
  const auto each_run = [&](const group::Domain& domain, auto&& run) {
    if (domain.is_run()) {
      const std::uint64_t begin = blocks.begin(domain.first);
      const int last = domain.first + domain.size - 1;
      run(dest + begin, blocks.begin(last) + blocks.bytes(last) - begin);
      return;
    }
    for (int seat = 0; seat < domain.size; ++seat) {
      run(dest + blocks.begin(domain.member(seat)), blocks.bytes(domain.member(seat)));
    }
  };
  const Speakers speakers(span);
  for (int distance = 1; distance < speakers.size(); ++distance) {
    const int from = speakers.before(distance);
    const int to = speakers.after(distance);
    each_run(span.domains[from],
             [&](std::byte* at, std::uint64_t bytes) { messages.receive(speakers.pe(from), at, bytes); });
    each_run(span.domains[span.mine],
             [&](const std::byte* at, std::uint64_t bytes) { messages.send(speakers.pe(to), at, bytes); });
    if (distance % kPartners == 0) {
      messages.wait();
    }
  }
  messages.wait();
}

}  // namespace weft::coll::across
