#include "win/waits.hpp"

#include "lock/late.hpp"
#include "os/clock.hpp"
#include "win/elements.hpp"

namespace weft::win {
namespace {

// More than threads can be inside.
constexpr std::uint32_t kMost = std::uint32_t{1} << 20;

}  // namespace

void WaitTold::tell(int place) const noexcept {
  // Who holds a lock of another node is not known here; whoever reads the notes of all finds it (job::HeldOfWindow).
  const bool is_far_lock = !member_.is_here() && what_ <= boot::OfWindow::kExclusive;
  job::WindowNote note{.needed = is_far_lock ? -1 : member_.pe, .label = member_.common().label};
  if (lock_ != nullptr) {
    const lock::Holding holding = lock::who_holds(*lock_, job::node().n_pes, kMost);
    note.needed = holding.writer;
    note.readers = holding.readers;
  }
  job::note_window(place, note);
}

int WaitTold::begin(std::uint64_t /*detail*/) const noexcept {
  const int place = job::begin_wait({.why = boot::Waiting::kWindow,
                                     .wanted = member_.common().number,
                                     .compare = of_word_,
                                     .type = static_cast<std::uint32_t>(what_),
                                     .start = member_.rank,
                                     .number = place_,
                                     .index = static_cast<std::uint64_t>(member_.pe)});
  tell(place);
  return place;
}

void WaitTold::looked(int place, std::uint64_t /*waited_ns*/) const noexcept {
  tell(place);
  job::looked_in_vain(place);
}

void wait_for_lock(const Member& member, lock::SharedLock& of, lock::Mode mode, std::uint32_t position,
                   boot::OfWindow what) noexcept {
  const job::Node& node = job::node();
  lock::await_turn(of, mode, position, node.patience, WaitTold(member, what, &of, std::uint64_t{position} + 1));
  if (mode == lock::Mode::kShared) {
    tell_elsewhere(member);  // who is let in lets in the next one
  }
}

void take_lock_late(const Member& member, lock::SharedLock& of) noexcept {
  const lock::LateTurn turn = lock::take_late_or_ask(of);
  if (turn.is_inside) [[likely]] {
    return;
  }
  const job::Node& node = job::node();
  const lock::Politeness politeness(os::now_ns());
  lock::await_late(of, turn.round, node.patience, WaitTold(member, boot::OfWindow::kShared, &of),
                   [&]() noexcept { return politeness.is_over(os::now_ns()); });
}

}  // namespace weft::win
