#include "dsm/questions.hpp"

#include <cstring>

#include "base/lines.hpp"

namespace weft::dsm {
namespace {

using transport::Arrival;
using transport::Landing;

constinit transport::Transport* g_network = nullptr;
constinit transport::Pending g_told{};  // of messages without data, which are done when they are told

// ---- What this PE has asked. A slot is free, or its question is under way.

struct Slot {
  std::atomic<std::uint32_t> turn = 0;  // even: free. With the slot's number it is the token
  int pe = -1;
  std::byte* into = nullptr;  // data of the answer
  std::uint64_t room = 0;
  Reply reply{};
  std::atomic<std::uint32_t>* left = nullptr;  // one less when it is answered
  bool kept = false;                           // who asks reads the reply, and frees the slot
};
constexpr std::uint32_t kSlots = 512;
constinit Slot g_slots[kSlots]{};
constinit std::atomic<std::uint32_t> g_next_slot = 0;

std::uint32_t take_slot() noexcept {
  std::uint32_t found = 0;
  const auto take = [&] {
    for (std::uint32_t k = 0; k < kSlots; ++k) {
      found = g_next_slot.fetch_add(1, std::memory_order_relaxed) % kSlots;
      std::uint32_t turn = g_slots[found].turn.load(std::memory_order_relaxed);
      // Acquire: who had it before has done with it.
      if (turn % 2 == 0 && g_slots[found].turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  };
  wait_until(take);
  return found;
}

// Release: pairs with take_slot().
void free_slot(Slot& slot) noexcept { slot.turn.fetch_add(1, std::memory_order_release); }

std::uint64_t token_of(std::uint32_t slot) noexcept {
  return static_cast<std::uint64_t>(g_slots[slot].turn.load(std::memory_order_relaxed)) << 32 | slot;
}

// Null: no question of ours that is under way there.
Slot* slot_of(std::uint64_t token, int pe) noexcept {
  const auto number = static_cast<std::uint32_t>(token);
  if (number >= kSlots) {
    return nullptr;
  }
  Slot& slot = g_slots[number];
  const bool is_ours = slot.turn.load(std::memory_order_relaxed) == token >> 32 && (token >> 32) % 2 == 1;
  return is_ours && slot.pe == pe ? &slot : nullptr;
}

// A question's slot, filled: its number is in the question's token from now on.
Slot& take_slot_for(Question& question, int pe, Room room, std::atomic<std::uint32_t>& left, bool kept) noexcept {
  const std::uint32_t number = take_slot();
  Slot& slot = g_slots[number];
  slot.pe = pe;
  slot.into = room.at;
  slot.room = room.bytes;
  slot.left = &left;
  slot.kept = kept;
  question.token = token_of(number);
  return slot;
}

void tell_all(int pe, const transport::Message& message, transport::Pending& pending) noexcept {
  wait_until([&] { return g_network->tell(pe, message, pending) != transport::Told::kAgain; });
}

}  // namespace

void ask_by(transport::Transport* network) noexcept { g_network = network; }
bool several_nodes() noexcept { return g_network != nullptr; }

void fail_of(int pe, const char* what) noexcept {
  base::fail(nullptr, "PE %d has sent %s about shared memory; does it run another build of Weft?", pe, what);
}

void tell(int pe, transport::Kind kind, const void* head, std::size_t bytes) noexcept {
  tell_all(pe, {kind, head, bytes, nullptr, 0}, g_told);
}

void ask(int pe, Kind kind, Question question, Data data, Room room, std::atomic<std::uint32_t>& left,
         transport::Pending& pending) noexcept {
  take_slot_for(question, pe, room, left, false);
  tell_all(pe, {kind, &question, sizeof question, data.at, data.bytes}, pending);
}

Reply ask_and_wait(int pe, Kind kind, Question question, Room room, const sync::WaitNote* of_program) noexcept {
  std::atomic<std::uint32_t> left = 1;
  Slot& slot = take_slot_for(question, pe, room, left, true);
  tell(pe, kind, &question, sizeof question);
  // Acquire: pairs with answered().
  wait_until([&] { return left.load(std::memory_order_acquire) == 0; }, of_program);
  const Reply reply = slot.reply;
  free_slot(slot);
  return reply;
}

Landing place_answer(const Arrival& arrival) noexcept {
  Reply reply{};
  if (arrival.head_bytes != sizeof reply) {
    fail_of(arrival.pe, "an answer of the wrong length");
  }
  std::memcpy(&reply, arrival.head, sizeof reply);
  Slot* const slot = slot_of(reply.token, arrival.pe);
  if (slot == nullptr || arrival.bytes > slot->room) {
    fail_of(arrival.pe, "an answer that nobody has asked for");
  }
  slot->reply = reply;
  return {slot->into, slot};
}

void answered(const Arrival& arrival) noexcept {
  Slot& slot = *static_cast<Slot*>(arrival.landing.cookie);
  std::atomic<std::uint32_t>& left = *slot.left;
  if (!slot.kept) {
    free_slot(slot);
  }
  // Release: who waits finds what came. The last thing: `left` is gone when it is seen.
  left.fetch_sub(1, std::memory_order_release);
}

}  // namespace weft::dsm
