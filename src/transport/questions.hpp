// Questions that this PE has asked others, by messages whose answers come back to it (kinds.hpp): which ones are under
// way, and where their answers go. Nobody can answer what was not asked of him.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "transport/kinds.hpp"

namespace weft::transport {

/// The head of an answer.
struct Reply {
  std::uint64_t token = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};
static_assert(std::is_trivially_copyable_v<Reply> && sizeof(Reply) <= kMostHead);

class Questions {
 public:
  /// Where the data of an answer goes, and, unless that is null, what its head says.
  struct Room {
    std::byte* at = nullptr;
    std::uint64_t bytes = 0;
    Reply* reply = nullptr;
  };

  /// A question to a PE: its token, which the answer is to bear, or 0 where too many are under way. `left` goes down
  /// when the answer and its data are here. kept: who asks reads the reply then, by end(), and only then is it over.
  /// `about` is for open(). `also`: another count that goes down, before `left`.
  std::uint64_t begin(int pe, Room room, std::atomic<std::uint32_t>& left, bool kept, std::uint64_t about = 0,
                      std::atomic<std::uint32_t>* also = nullptr) noexcept {
    for (std::uint32_t k = 0; k < kSlots; ++k) {
      const std::uint32_t number = next_.fetch_add(1, std::memory_order_relaxed) % kSlots;
      Slot& slot = slots_[number];
      std::uint32_t turn = slot.turn.load(std::memory_order_relaxed);
      // Acquire: who had it before has done with it.
      if (turn % 2 == 0 && slot.turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acquire)) {
        slot.pe.store(pe, std::memory_order_relaxed);
        slot.room = room;
        slot.left.store(&left, std::memory_order_relaxed);
        slot.about.store(about, std::memory_order_relaxed);
        slot.kept = kept;
        slot.also = also;
        slot.answered.store(false, std::memory_order_relaxed);
        return static_cast<std::uint64_t>(turn + 1) << 32 | number;
      }
    }
    return 0;
  }
  /// Of a kept one, when it is answered.
  Reply end(std::uint64_t token) noexcept {
    Slot& slot = slots_[static_cast<std::uint32_t>(token)];
    const Reply reply = slot.reply;
    free(slot);
    return reply;
  }

  /// Of one that nobody has been told.
  void take_back(std::uint64_t token) noexcept { free(slots_[static_cast<std::uint32_t>(token)]); }

  /// Of handlers: an answer. False: nobody has asked for such a one.
  bool place(const Arrival& arrival, Landing* landing) noexcept {
    Reply reply{};
    if (arrival.head_bytes != sizeof reply) {
      return false;
    }
    std::memcpy(&reply, arrival.head, sizeof reply);
    const auto number = static_cast<std::uint32_t>(reply.token);
    const auto turn = static_cast<std::uint32_t>(reply.token >> 32);
    if (number >= kSlots || turn % 2 == 0 || slots_[number].turn.load(std::memory_order_relaxed) != turn ||
        slots_[number].pe.load(std::memory_order_relaxed) != arrival.pe || arrival.bytes > slots_[number].room.bytes ||
        slots_[number].answered.exchange(true, std::memory_order_relaxed)) {
      return false;
    }
    slots_[number].reply = reply;
    if (slots_[number].room.reply != nullptr) {
      *slots_[number].room.reply = reply;
    }
    *landing = {slots_[number].room.at, &slots_[number]};
    return true;
  }
  void arrived(const Arrival& arrival) noexcept {
    Slot& slot = *static_cast<Slot*>(arrival.landing.cookie);
    std::atomic<std::uint32_t>& left = *slot.left.load(std::memory_order_relaxed);
    std::atomic<std::uint32_t>* const also = slot.also;
    if (!slot.kept) {
      free(slot);
    }
    if (also != nullptr) {
      also->fetch_sub(1, std::memory_order_release);
    }
    // Release: who waits finds what came. The last thing: `left` is gone when it is seen.
    left.fetch_sub(1, std::memory_order_release);
  }

  /// For people: one that is not answered, of those whose answers make `left` go down. pe -1: none was found.
  struct Open {
    int pe = -1;
    std::uint64_t about = 0;
  };
  Open open(const std::atomic<std::uint32_t>& left) const noexcept {
    // Relaxed: what changes meanwhile may be told wrong.
    for (const Slot& slot : slots_) {
      if (slot.turn.load(std::memory_order_relaxed) % 2 != 0 && slot.left.load(std::memory_order_relaxed) == &left &&
          !slot.answered.load(std::memory_order_relaxed)) {
        return {slot.pe.load(std::memory_order_relaxed), slot.about.load(std::memory_order_relaxed)};
      }
    }
    return {};
  }

 private:
  // Atomic is also what open() reads of others' questions.
  struct Slot {
    std::atomic<std::uint32_t> turn = 0;  // even: free
    std::atomic<bool> answered = false;
    std::atomic<int> pe = -1;
    Room room{};
    Reply reply{};
    std::atomic<std::atomic<std::uint32_t>*> left = nullptr;
    std::atomic<std::uint64_t> about = 0;
    bool kept = false;
    std::atomic<std::uint32_t>* also = nullptr;
  };
  static constexpr std::uint32_t kSlots = 512;

  // Release: pairs with begin().
  static void free(Slot& slot) noexcept { slot.turn.fetch_add(1, std::memory_order_release); }

  std::array<Slot, kSlots> slots_{};
  std::atomic<std::uint32_t> next_ = 0;
};

}  // namespace weft::transport
