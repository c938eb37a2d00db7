// Messages to a process of this node: a ring in its memory that the others write and it reads.
#pragma once

#include <atomic>
#include <cstdint>

#include "omp/far/message.hpp"

namespace weft::omp::far {

/// Good when it is zero. What is in it is another process's word.
struct Ring {
  static constexpr std::uint64_t kSlots = 512;
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> turn;  // 2 * round: free; and one more: full
    std::uint32_t from;
    std::uint32_t is_answer;
    Message message;
  };
  alignas(64) std::atomic<std::uint64_t> tail;  // the next one to write
  alignas(64) std::uint64_t head;               // the next one to read, under its reader's lock
  Slot slots[kSlots];

  /// False: it is full.
  bool put(int from, bool is_answer, const Message& message) noexcept {
    std::uint64_t at = tail.load(std::memory_order_relaxed);
    for (;;) {
      Slot& slot = slots[at % kSlots];
      // Acquire: who read it last has done so.
      if (slot.turn.load(std::memory_order_acquire) != at / kSlots * 2) {
        const std::uint64_t now = tail.load(std::memory_order_relaxed);
        if (now == at) {
          return false;
        }
        at = now;
      } else if (tail.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
        slot.from = static_cast<std::uint32_t>(from);
        slot.is_answer = is_answer ? 1 : 0;
        slot.message = message;
        // Release: who finds it full finds it whole.
        slot.turn.store(at / kSlots * 2 + 1, std::memory_order_release);
        return true;
      }
    }
  }
  bool get(int* from, bool* is_answer, Message* message) noexcept {
    Slot& slot = slots[head % kSlots];
    // Acquire: pairs with put().
    if (slot.turn.load(std::memory_order_acquire) != head / kSlots * 2 + 1) {
      return false;
    }
    *from = static_cast<int>(slot.from);
    *is_answer = slot.is_answer != 0;
    *message = slot.message;
    // Release: it has been read.
    slot.turn.store(head / kSlots * 2 + 2, std::memory_order_release);
    ++head;
    return true;
  }
};

}  // namespace weft::omp::far
