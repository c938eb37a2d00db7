#include "coll/across/span.hpp"
#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"
#include "coll/scratch.hpp"

namespace weft::coll::across {

void fcollect(Party& party, void* dest, const void* source, std::size_t bytes) noexcept {
  const Blocks blocks(bytes);
  auto* target = static_cast<std::byte*>(dest);
  copy::copy(party.at(target + blocks.begin(party.number()), 0), source, bytes);
  party.barrier();
  if (leads(party)) {
    Messages messages = messages_of(party);
    exchange_blocks(*party.span(), messages, target, blocks);
  }
  spread(party, dest, bytes * static_cast<std::size_t>(party.members().size));
}

namespace {

// Where each member's block ends, of which each member of the domain has shown the leader its own one's length.
void find_ends(const Party& party, Messages& messages, std::uint64_t* ends) noexcept {
  const group::Span& span = *party.span();
  for (int seat = 0; seat < party.size(); ++seat) {
    ends[span.domains[span.mine].member(seat)] = party.shown(seat)[0].load(std::memory_order_relaxed);
  }
  exchange_blocks(span, messages, reinterpret_cast<std::byte*>(ends), Blocks(sizeof(std::uint64_t)));
  for (int member = 1; member < party.members().size; ++member) {
    ends[member] += ends[member - 1];
  }
}

}  // namespace

bool collect(Party& party, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept {
  const group::Span& span = *party.span();
  const auto members = static_cast<std::size_t>(party.members().size);
  const std::size_t table = leads(party) ? members * sizeof(std::uint64_t) : 0;
  if (!party.begin(Room::need(table))) [[unlikely]] {
    return false;
  }
  const Scratch room(party.room(), table);
  auto* ends = room.as<std::uint64_t>();
  Messages messages = messages_of(party);
  // Relaxed, here and below: the exchange publishes it.
  party.to_show()[0].store(bytes, std::memory_order_relaxed);
  party.exchange();
  if (leads(party)) {
    find_ends(party, messages, ends);
  }
  party.next_stage();
  std::atomic<std::uint64_t>* shown = party.to_show();
  if (leads(party)) {
    shown[0].store(ends[members - 1], std::memory_order_relaxed);
  }
  party.exchange();
  const std::uint64_t all = leads(party) ? ends[members - 1] : party.shown(0)[0].load(std::memory_order_relaxed);
  if (all == 0) {
    return true;
  }
  fits(dest, all);
  if (leads(party)) {
    const Blocks blocks(ends);
    auto* target = static_cast<std::byte*>(dest);
    for (int seat = 0; seat < party.size(); ++seat) {
      const int member = span.domains[span.mine].member(seat);
      if (blocks.bytes(member) > 0) {
        copy::copy(target + blocks.begin(member), party.at(source, seat), blocks.bytes(member));
      }
    }
    exchange_blocks(span, messages, target, blocks);
  }
  spread(party, dest, all);
  return true;
}

}  // namespace weft::coll::across
