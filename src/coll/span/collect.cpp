#include "coll/scratch.hpp"
#include "coll/span/span.hpp"
#include "coll/span/speakers.hpp"
#include "coll/span/stages.hpp"

namespace weft::coll::span {

void fcollect(Group& group, void* dest, const void* source, std::size_t bytes) noexcept {
  const Blocks blocks(bytes);
  auto* target = static_cast<std::byte*>(dest);
  copy::copy(group.at(target + blocks.begin(group.number()), 0), source, bytes);
  group.barrier();
  if (leads(group)) {
    Messages messages = messages_of(group);
    exchange_blocks(*group.span(), messages, target, blocks);
  }
  spread(group, dest, bytes * static_cast<std::size_t>(group.members().size));
}

namespace {

// Where each member's block ends, of which each member of the domain has shown the leader its own one's length.
void find_ends(const Group& group, Messages& messages, std::uint64_t* ends) noexcept {
  const group::Span& span = *group.span();
  for (int seat = 0; seat < group.size(); ++seat) {
    ends[span.domains[span.mine].member(seat)] = group.shown(seat)[0].load(std::memory_order_relaxed);
  }
  exchange_blocks(span, messages, reinterpret_cast<std::byte*>(ends), Blocks(sizeof(std::uint64_t)));
  for (int member = 1; member < group.members().size; ++member) {
    ends[member] += ends[member - 1];
  }
}

}  // namespace

void collect(Group& group, void* dest, const void* source, std::size_t bytes, Fits fits) noexcept {
  const group::Span& span = *group.span();
  const auto members = static_cast<std::size_t>(group.members().size);
  const Scratch room(leads(group) ? members * sizeof(std::uint64_t) : 0);
  auto* ends = room.as<std::uint64_t>();
  Messages messages = messages_of(group);
  // Relaxed, here and below: the exchange publishes it.
  group.to_show()[0].store(bytes, std::memory_order_relaxed);
  group.exchange();
  if (leads(group)) {
    find_ends(group, messages, ends);
  }
  group.next_stage();
  std::atomic<std::uint64_t>* shown = group.to_show();
  if (leads(group)) {
    shown[0].store(ends[members - 1], std::memory_order_relaxed);
  }
  group.exchange();
  const std::uint64_t all = leads(group) ? ends[members - 1] : group.shown(0)[0].load(std::memory_order_relaxed);
  if (all == 0) {
    return;
  }
  fits(dest, all);
  if (leads(group)) {
    const Blocks blocks(ends);
    auto* target = static_cast<std::byte*>(dest);
    for (int seat = 0; seat < group.size(); ++seat) {
      const int member = span.domains[span.mine].member(seat);
      if (blocks.bytes(member) > 0) {
        copy::copy(target + blocks.begin(member), group.at(source, seat), blocks.bytes(member));
      }
    }
    exchange_blocks(span, messages, target, blocks);
  }
  spread(group, dest, all);
}

}  // namespace weft::coll::span
