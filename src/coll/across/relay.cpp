#include "coll/across/relay.hpp"

#include <algorithm>

#include "coll/alltoall/block.hpp"
#include "copy/copy.hpp"

namespace weft::coll::across {
namespace {

// A larger block is worth a message of its own: passing it on would take longer.
constexpr std::size_t kMostBlock = 1024;
constexpr std::size_t kMostRoom = std::size_t{8} << 20;

std::size_t largest_slot(const group::Span& span, std::size_t block) noexcept {
  const auto* const most =
      std::max_element(span.domains, span.domains + span.count,
                       [](const group::Domain& a, const group::Domain& b) { return a.size < b.size; });
  return static_cast<std::size_t>(most->size) * static_cast<std::size_t>(most->size) * block;
}

// One for each other domain, and what leaves and what comes in a round: at most every second of them.
std::size_t slots(const group::Span& span) noexcept {
  const auto domains = static_cast<std::size_t>(span.count);
  return domains - 1 + domains / 2 * 2;
}

}  // namespace

// Up to three leaders have to do with each other anyway.
bool Relay::is_for(const group::Span& span, const Alltoall& call) noexcept {
  return call.count * call.element <= kMostBlock && (span.count > 3 || span.members.size > span.count) &&
         need(span, call) <= kMostRoom;
}

std::size_t Relay::need(const group::Span& span, const Alltoall& call) noexcept {
  return Room::need(slots(span) * largest_slot(span, call.count * call.element));
}

Relay::Relay(const Party& party, const Alltoall& call, Messages& messages) noexcept
    : party_(party),
      call_(call),
      messages_(messages),
      speakers_(*party.span()),
      most_(largest_slot(*party.span(), call.count * call.element)),
      room_(party.room(), slots(*party.span()) * most_) {
  collect();
}

std::size_t Relay::bytes(int from, int to) const noexcept {
  const group::Domain* domains = party_.span()->domains;
  return static_cast<std::size_t>(domains[from].size) * static_cast<std::size_t>(domains[to].size) * call_.count *
         call_.element;
}

std::byte* Relay::slot(int distance) const noexcept {
  return room_.get() + static_cast<std::size_t>(distance - 1) * most_;
}
std::byte* Relay::leaving() const noexcept { return slot(speakers_.size()); }
std::byte* Relay::coming() const noexcept { return slot(speakers_.size() + speakers_.size() / 2); }

// Block by block: of each member here for each member there.
void Relay::collect() noexcept {
  const group::Span& span = *party_.span();
  Alltoall pack = call_;
  pack.dst = 1;
  for (int distance = 1; distance < span.count; ++distance) {
    const group::Domain& there = span.domains[speakers_.after(distance)];
    int block = 0;
    for (int seat = 0; seat < party_.size(); ++seat) {
      const void* source = party_.at(call_.source, seat);
      for (int member = 0; member < there.size; ++member) {
        copy_block(pack, slot(distance), block++, source, there.member(member));
      }
    }
  }
}

void Relay::deliver() noexcept {
  const group::Span& span = *party_.span();
  Alltoall unpack = call_;
  unpack.sst = 1;
  for (int distance = 1; distance < span.count; ++distance) {
    const group::Domain& there = span.domains[speakers_.before(distance)];
    int block = 0;
    for (int member = 0; member < there.size; ++member) {
      for (int seat = 0; seat < party_.size(); ++seat) {
        copy_block(unpack, party_.at(call_.dest, seat), there.member(member), slot(distance), block++);
      }
    }
  }
}

// What a domain holds for those `distance` from where it came has travelled the lower bits of that already.
template <class Body>
void Relay::each(int holder, Body&& body) const noexcept {
  const int n = speakers_.size();
  for (int distance = reach_; distance < n; ++distance) {
    if ((distance & reach_) != 0) {
      const int from = (holder + n - distance % reach_) % n;
      body(distance, bytes(from, (from + distance) % n));
    }
  }
}

bool Relay::step() noexcept {
  if (reach_ > 0) {
    take_in();
  }
  reach_ = reach_ == 0 ? 1 : reach_ * 2;
  if (reach_ >= speakers_.size()) {
    deliver();
    return false;
  }
  std::size_t out = 0;
  each(speakers_.me(), [&](int distance, std::size_t bytes) {
    copy::copy(leaving() + out, slot(distance), bytes);
    out += bytes;
  });
  std::size_t in = 0;
  each(speakers_.before(reach_), [&](int /*distance*/, std::size_t bytes) { in += bytes; });
  messages_.receive(speakers_.pe(speakers_.before(reach_)), coming(), in);
  messages_.send(speakers_.pe(speakers_.after(reach_)), leaving(), out);
  return true;
}

void Relay::take_in() noexcept {
  std::size_t in = 0;
  each(speakers_.before(reach_), [&](int distance, std::size_t bytes) {
    copy::copy(slot(distance), coming() + in, bytes);
    in += bytes;
  });
}

}  // namespace weft::coll::across
