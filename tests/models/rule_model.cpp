// By what elements of a window are changed (src/win/rule.hpp), and that it is settled while others are at them: by
// instructions and by loops under a lock, with the window's lock, alone or with others, and without. No change is lost.
#include "win/rule.hpp"

#include <array>

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::Fault;
using lock::Mode;

struct Memory {
  lock::SharedLock lock;
  win::RuleWords rule;
  lock::SharedLock elements;
  std::atomic<std::uint32_t> element;
} g_memory;

enum Count : int { kChanges, kGone };

void set_up() {
  explore::share(g_memory.lock.queue, "queue");
  explore::share(g_memory.lock.done, "done");
  explore::share(g_memory.lock.rings, "rings");
  explore::share(g_memory.lock.sleepers, "sleepers");
  explore::share(g_memory.rule.by, "by");
  explore::share(g_memory.rule.row_bytes, "row_bytes");
  explore::share(g_memory.elements.queue, "elements' queue");
  explore::share(g_memory.elements.done, "elements' done");
  explore::share(g_memory.elements.rings, "elements' rings");
  explore::share(g_memory.elements.sleepers, "elements' sleepers");
  explore::share(g_memory.element, "element");
}

void take(lock::SharedLock& lock, Mode mode) {
  const sync::Patience patience;
  const lock::Turn turn = lock::take_or_queue(lock, mode, 0);
  if (turn.is_inside) {
    return;
  }
  if (mode == Mode::kExclusive) {
    lock::await_turn(lock, mode, turn.position, patience, sync::WaitNote());
    return;
  }
  // As a reader of another node, which is not counted: that readers let each other in is explored elsewhere.
  sync::BellFor bell{lock.rings, lock.sleepers, lock::queue::bit_of(turn.position)};
  sync::wait_uncrowded(patience, bell, nullptr, sync::WaitNote(), [&]() noexcept {
    return lock::queue::admit_of(lock).load(std::memory_order_acquire) == turn.position;
  });
  lock::admit_next(lock);
}

// The element is in a long row.
void change(bool is_by_lock) {
  if (!is_by_lock) {
    win::count_long_row(g_memory.rule, win::kLongRows);
    g_memory.element.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  take(g_memory.elements, Mode::kExclusive);
  const std::uint32_t before = g_memory.element.load(std::memory_order_relaxed);
  g_memory.element.store(before + 1, std::memory_order_relaxed);
  lock::leave(g_memory.elements, Mode::kExclusive);
}

enum class Who : std::uint8_t { kShared, kExclusive, kUnchecked };
constexpr Who kS = Who::kShared;
constexpr Who kX = Who::kExclusive;
constexpr Who kU = Who::kUnchecked;

// As Window::lock() and unlock().
void epoch(Who who) {
  const Mode mode = who == kX ? Mode::kExclusive : Mode::kShared;
  if (who == kS) {
    win::settle_by_wish(g_memory.rule, g_memory.lock, false, 0);
  }
  if (who != kU) {
    take(g_memory.lock, mode);
  }
  if (who == kX) {
    win::settle_by_wish(g_memory.rule, g_memory.lock, true, 0);
  }
  change(win::look_at(g_memory.rule, who != kU, 0));
  if (who != kU) {
    lock::leave(g_memory.lock, mode);
  }
}

template <int rounds, Who... all>
bool run(int pe, int call) {
  constexpr std::array kAll = {all...};
  epoch(kAll[static_cast<std::size_t>(pe)]);
  if (call + 1 < rounds) {
    return true;
  }
  if (explore::count(kGone, 1) == static_cast<int>(kAll.size())) {
    // A change shows what is there now.
    explore::check(g_memory.element.fetch_add(0) == rounds * kAll.size(), "a change is lost");
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr bool kAwake = true;
  const std::vector<explore::Model> models = {
      {"one with the lock and one without", 2, set_up, run<2, kS, kU>, kAwake},
      {"one alone and one with the lock", 2, set_up, run<2, kX, kS>, kAwake},
      {"two with the lock", 2, set_up, run<2, kS, kS>, kAwake},
  };
  std::vector<explore::NamedFault> faults = {
      {"the lock of elements is not passed on",
       {{"lock/readers.hpp", "admit_of(lock).fetch_add(1", Fault::Kind::kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  faults.push_back({"who looks does not acquire", {{"win/rule.hpp", "words.by.load(std::memory_order_acquire)"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
