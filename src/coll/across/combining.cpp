#include "coll/across/combining.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"

namespace weft::coll::across {
namespace {

// Up to so many bytes what counts is how often somebody waits for a message, above it what passes through the network.
constexpr std::size_t kSmall = 16384;
// More is combined piece after piece.
constexpr std::size_t kCombinedAtATime = std::size_t{8} << 20;
// A share that is worth a connection of its own to everybody: it comes at once, not with the last of some rounds. In
// pieces as large as those above there are no such shares among very many.
constexpr std::size_t kLargeShare = std::size_t{64} << 10;

int rounds_of(int speakers) noexcept { return static_cast<int>(std::bit_width(static_cast<unsigned>(speakers))) - 1; }

// Among three each has to do with each anyway.
bool in_shares(int speakers, std::size_t bytes) noexcept {
  return bytes > kSmall && speakers > 2 && (speakers == 3 || bytes / static_cast<std::size_t>(speakers) >= kLargeShare);
}

}  // namespace

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

bool Shares::step() noexcept {
  switch (steps_++) {
    case 0: give_out(); return true;
    case 1: tell(); return true;
    default: return false;
  }
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

Doubling::Doubling(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept
    : speakers_(speakers),
      messages_(talk.messages),
      elements_(elements),
      rounds_(rounds_of(speakers.size())),
      pairs_(speakers.size() - (1 << rounds_)),
      place_(speakers.me() < 2 * pairs_ ? speakers.me() / 2 : speakers.me() - pairs_),
      halves_(elements.bytes() > kSmall),
      data_(static_cast<std::byte*>(data)),
      mine_(data_),
      more_(talk.room, elements.bytes() > kFew ? elements.bytes() : 0) {
  theirs_ = elements.bytes() > kFew ? more_.get() : few_;
}

// Neighbours first, and then those that are the farther apart the later it is: so it stays in the order of the
// speakers.
int Doubling::partner(int round) const noexcept {
  const int other = place_ ^ (1 << round);
  return other < pairs_ ? 2 * other + 1 : other + pairs_;
}

Doubling::Part Doubling::part(int place, int rounds) const noexcept {
  Part part{0, elements_.count};
  for (int round = 0; halves_ && round < rounds; ++round) {
    const std::size_t middle = part.begin + (part.end - part.begin) / 2;
    ((place >> round & 1) != 0 ? part.begin : part.end) = middle;
  }
  return part;
}

void Doubling::send(int speaker, const std::byte* from, const Part& what) noexcept {
  messages_.send(speakers_.pe(speaker), from + what.begin * elements_.element,
                 (what.end - what.begin) * elements_.element);
}

void Doubling::receive(int speaker, std::byte* to, const Part& what) noexcept {
  messages_.receive(speakers_.pe(speaker), to + what.begin * elements_.element,
                    (what.end - what.begin) * elements_.element);
}

bool Doubling::step() noexcept {
  switch (stage_) {
    case Stage::kJoins: return join();
    case Stage::kCombines: return combine();
    case Stage::kTells: return tell();
    case Stage::kGave:
      receive(speakers_.me() + 1, data_, part(place_, 0));
      stage_ = Stage::kOver;
      return true;
    case Stage::kOver: break;
  }
  return false;
}

bool Doubling::join() noexcept {
  if (!has_neighbour()) {
    return combine();
  }
  const Part all = part(place_, 0);
  if (speakers_.me() % 2 == 0) {
    send(speakers_.me() + 1, data_, all);
    stage_ = Stage::kGave;
    return true;
  }
  receive(speakers_.me() - 1, theirs_, all);
  comes_ = comes_first_ = true;
  coming_ = all;
  stage_ = Stage::kCombines;
  return true;
}

bool Doubling::combine() noexcept {
  take_in();
  if (round_ == rounds_) {
    // What this one has combined, from where the rounds have left it.
    const Part mine = part(place_, rounds_);
    if (mine_ != data_ && mine.begin < mine.end) {
      copy::copy(data_ + mine.begin * elements_.element, mine_ + mine.begin * elements_.element,
                 (mine.end - mine.begin) * elements_.element);
    }
    return tell();
  }
  const int other = place_ ^ (1 << round_);
  coming_ = part(place_, round_ + 1);
  receive(partner(round_), theirs_, coming_);
  send(partner(round_), mine_, part(other, round_ + 1));
  comes_ = true;
  comes_first_ = other < place_;
  ++round_;
  stage_ = Stage::kCombines;
  return true;
}

// What is combined becomes what is here, wherever it lies.
void Doubling::take_in() noexcept {
  if (!std::exchange(comes_, false) || coming_.begin == coming_.end) {
    return;
  }
  std::byte* const mine = mine_ + coming_.begin * elements_.element;
  std::byte* const theirs = theirs_ + coming_.begin * elements_.element;
  const std::size_t count = coming_.end - coming_.begin;
  if (comes_first_) {
    elements_.combine(theirs, theirs, mine, count);
    std::swap(mine_, theirs_);
  } else {
    elements_.combine(mine, mine, theirs, count);
  }
}

bool Doubling::tell() noexcept {
  stage_ = Stage::kTells;
  if (halves_ && round_ > 0) {
    --round_;
    receive(partner(round_), data_, part(place_ ^ (1 << round_), round_ + 1));
    send(partner(round_), data_, part(place_, round_ + 1));
    return true;
  }
  stage_ = Stage::kOver;
  if (has_neighbour()) {
    send(speakers_.me() - 1, data_, part(place_, 0));
    return true;
  }
  return false;
}

Combining::Combining(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept {
  if (in_shares(speakers.size(), elements.bytes())) {
    shares_.emplace(speakers, talk, data, elements);
  } else {
    doubling_.emplace(speakers, talk, data, elements);
  }
}

std::size_t Combining::need(int speakers, std::size_t count, std::size_t element) noexcept {
  const std::size_t bytes = count * element;
  return in_shares(speakers, bytes) ? Shares::need(speakers, count, element) : Doubling::need(bytes);
}

std::size_t need_of_all(int speakers, std::size_t count, std::size_t element) noexcept {
  if (speakers == 1) {
    return 0;
  }
  const std::size_t most = std::min(count, elements_at_a_time(kCombinedAtATime, element));
  // The last piece is smaller, and may go another way.
  return std::max(Combining::need(speakers, most, element), Combining::need(speakers, count % most, element));
}

void combine_all(const Speakers& speakers, Talk talk, void* data, const Elements& elements) noexcept {
  if (speakers.size() == 1) {
    return;
  }
  const std::size_t most = elements_at_a_time(kCombinedAtATime, elements.element);
  for (std::size_t begin = 0; begin < elements.count; begin += most) {
    const std::size_t count = std::min(most, elements.count - begin);
    Combining combining(speakers, talk, static_cast<std::byte*>(data) + begin * elements.element,
                        {count, elements.element, elements.combine});
    while (combining.step()) {
      talk.messages.wait();
    }
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

}  // namespace weft::coll::across
