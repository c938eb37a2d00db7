// A queue from all PEs of a node to one of them: for messages of pairs that have no box, or whose box is full.
//
// It is a list of nodes, each in its sender's own area. So a sender that has used up its nodes waits for these and for
// nobody else's, and a receiver that does not look costs no more memory than the senders have. Pushing is one exchange;
// the order of one sender's nodes is that in which it pushed them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "msg/envelope.hpp"

namespace weft::msg {

/// Where a node is: the PE's number on the node and an offset in its own area. 0: nowhere.
using Spot = std::uint64_t;
inline constexpr int kSpotShift = 40;
constexpr Spot spot_of(int local, std::uint64_t offset) noexcept {
  return static_cast<std::uint64_t>(local + 1) << kSpotShift | offset;
}
constexpr int local_of(Spot spot) noexcept { return static_cast<int>(spot >> kSpotShift) - 1; }
constexpr std::uint64_t offset_of(Spot spot) noexcept { return spot & ((std::uint64_t{1} << kSpotShift) - 1); }

struct alignas(64) QueueNode {
  std::atomic<Spot> next;
  std::atomic<std::uint32_t> full;  // 1: the receiver's, else the sender's
  std::uint32_t room;               // of the data behind it
  std::uint64_t unused[2];
  Envelope envelope;

  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(QueueNode) == 64 && std::is_standard_layout_v<QueueNode>);
static_assert(offsetof(QueueNode, full) == 8 && offsetof(QueueNode, envelope) == 32);

/// Lines of their own: all senders write the one, only the first sender of a row the other.
struct QueueEnds {
  alignas(64) std::atomic<Spot> last;
  alignas(64) std::atomic<Spot> first;
};
static_assert(sizeof(QueueEnds) == 128 && std::is_standard_layout_v<QueueEnds>);

/// `at` finds the node of a spot, null where there can be none. False: the queue is damaged.
template <class At>
bool push(QueueEnds& ends, Spot spot, QueueNode& node, At&& at) noexcept {
  // Relaxed: the exchange publishes both.
  node.next.store(0, std::memory_order_relaxed);
  node.full.store(1, std::memory_order_relaxed);
  // Release: who comes next to this node finds it whole. Acquire: and we the one before.
  const Spot before = ends.last.exchange(spot, std::memory_order_acq_rel);
  if (before == 0) {
    // Release: the receiver that sees the node sees what is in it.
    ends.first.store(spot, std::memory_order_release);
    return true;
  }
  QueueNode* const previous = at(before);
  if (previous == nullptr) {
    return false;
  }
  // Release: as above.
  previous->next.store(spot, std::memory_order_release);
  return true;
}

struct Popped {
  QueueNode* node = nullptr;  // null: there is none, or its sender has not linked it yet
  bool is_damaged = false;
};

/// By the receiver only. The node stays the receiver's until it is given back.
template <class At>
Popped pop(QueueEnds& ends, At&& at) noexcept {
  // Acquire: the node was written before.
  const Spot spot = ends.first.load(std::memory_order_acquire);
  if (spot == 0) [[likely]] {
    return {};
  }
  QueueNode* const node = at(spot);
  if (node == nullptr || node->full.load(std::memory_order_relaxed) != 1) {
    return {nullptr, true};
  }
  // Acquire: the next one was written before.
  const Spot next = node->next.load(std::memory_order_acquire);
  if (next != 0) {
    // Relaxed: only we read it while it is not 0.
    ends.first.store(next, std::memory_order_relaxed);
    return {node, false};
  }
  // It may be the last. Before it is cut off: who finds the queue empty writes here.
  ends.first.store(0, std::memory_order_relaxed);
  Spot last = spot;
  // Release: the sender that finds the queue empty writes `first` behind our store.
  if (ends.last.compare_exchange_strong(last, 0, std::memory_order_acq_rel, std::memory_order_relaxed)) {
    return {node, false};
  }
  // Another one is there, and is about to be linked to this node.
  ends.first.store(spot, std::memory_order_relaxed);
  return {};
}

inline void give_back(QueueNode& node) noexcept {
  // Release: it was read before its sender writes there.
  node.full.store(0, std::memory_order_release);
}

}  // namespace weft::msg
