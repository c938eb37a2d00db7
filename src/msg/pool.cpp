#include "msg/pool.hpp"

#include <algorithm>
#include <cstring>

namespace weft::msg {

void Pool::open(memory::OwnAreas& own, int me) noexcept {
  own_ = &own;
  me_ = me;
}

void Pool::close() noexcept {
  for (const std::uint64_t offset : slabs_) {
    (void)own_->release(offset);
  }
  *this = {};
}

std::uint64_t Pool::block(std::size_t bytes) noexcept {
  // Offset 0 is never one of ours: the hub is there, or another front end's block.
  const auto offset = own_->allocate(bytes);
  return offset ? *offset : 0;
}

void Pool::give_back_block(std::uint64_t offset) noexcept { (void)own_->release(offset); }

std::uint64_t Pool::slab(std::size_t bytes) noexcept {
  const std::uint64_t offset = block(bytes);
  if (offset != 0) {
    std::memset(static_cast<void*>(at(offset)), 0, bytes);
    slabs_.push_back(offset);
  }
  return offset;
}

Pool::Node Pool::node(std::uint64_t bytes) noexcept {
  return bytes <= kSmallRoom ? node_of(small_, kSmallRoom, kMostSmall)
                             : node_of(large_, static_cast<std::uint32_t>(kMostEager), kMostLarge);
}

Pool::Node Pool::node_of(Nodes& nodes, std::uint32_t room, std::size_t most) noexcept {
  for (std::size_t k = 0; k < std::min<std::size_t>(nodes.all.size(), 32); ++k) {
    nodes.next = nodes.next + 1 < nodes.all.size() ? nodes.next + 1 : 0;
    const Node& there = nodes.all[nodes.next];
    // Acquire: the receiver has read it before we write there.
    if (there.at->full.load(std::memory_order_acquire) == 0) {
      return there;
    }
  }
  if (nodes.all.size() >= most) {
    return {};
  }
  // A page or so at a time.
  const std::size_t each = sizeof(QueueNode) + room;
  const std::size_t count = room <= kSmallRoom ? 64 : 4;
  const std::uint64_t offset = slab(count * each);
  if (offset == 0) {
    return {};
  }
  for (std::size_t k = 0; k < count; ++k) {
    auto* const made = reinterpret_cast<QueueNode*>(at(offset + k * each));
    made->room = room;
    nodes.all.push_back({made, spot_of(me_, offset + k * each)});
  }
  nodes.next = nodes.all.size() - 1;
  return nodes.all.back();
}

Ticket* Pool::ticket() noexcept {
  if (tickets_.empty()) {
    constexpr std::size_t kCount = 32;
    const std::uint64_t offset = slab(kCount * sizeof(Ticket));
    if (offset == 0) {
      return nullptr;
    }
    for (std::size_t k = kCount; k-- > 0;) {
      tickets_.push_back(reinterpret_cast<Ticket*>(at(offset + k * sizeof(Ticket))));
    }
  }
  Ticket* const taken = tickets_.back();
  tickets_.pop_back();
  // Relaxed: the entry or the node that names it is published behind this.
  taken->filled.store(0, std::memory_order_relaxed);
  taken->place = ToldPlace(reach::Place{});
  taken->ranges = 0;
  taken->n_ranges = 0;
  taken->stage = 0;
  taken->begun = 0;
  return taken;
}

std::uint32_t Pool::number_of(const Ticket& ticket) const noexcept {
  const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&ticket) - at(0));
  return static_cast<std::uint32_t>(offset / alignof(Ticket));
}

void Pool::give_back(Ticket& ticket) noexcept {
  // Now, as its receiver has that line: whoever takes the ticket next need not wait for it. Relaxed: it is named by
  // what is published behind that.
  ticket.answer.store(static_cast<std::uint32_t>(Answer::kNone), std::memory_order_relaxed);
  ticket.taken.store(0, std::memory_order_relaxed);
  tickets_.push_back(&ticket);
}

Pool::Stage Pool::stage() noexcept {
  if (!stages_.empty()) {
    const Stage stage = stages_.back();
    stages_.pop_back();
    return stage;
  }
  const std::uint64_t offset = made_stages_ < kMostStages ? slab(kStageBytes) : 0;
  made_stages_ += offset != 0 ? 1 : 0;
  return {offset, 0};
}

void Pool::give_back_stage(const Stage& stage) noexcept { stages_.push_back(stage); }

}  // namespace weft::msg
