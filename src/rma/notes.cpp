#include "rma/notes.hpp"

#include "os/clock.hpp"
#include "rma/node.hpp"

namespace weft::rma {
namespace {

boot::Place place_of(const void* address) noexcept {
  const heap::Window& window = node().window;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (window.heap().holds(at)) {
    return at - window.heap().lo + 1;
  }
  return window.statics().holds(at) ? (at - window.statics().lo + 1) | boot::kInStatics : 0;
}

// Relaxed throughout: see boot::WaitRecord.
void fill(boot::WaitRecord& record, const Awaited& awaited) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  // Who sees anything of this wait sees that the last one has ended: `since` is 0 by now.
  std::atomic_thread_fence(std::memory_order_release);
  record.call.store(static_cast<std::uint32_t>(t_entered.call), kRelaxed);
  record.site.store(reinterpret_cast<std::uintptr_t>(site_in_program()), kRelaxed);
  record.object.store(place_of(awaited.object), kRelaxed);
  record.elements.store(awaited.elements, kRelaxed);
  record.wanted.store(awaited.wanted, kRelaxed);
  record.compare.store(awaited.compare, kRelaxed);
  record.type.store(awaited.type, kRelaxed);
  record.start.store(awaited.members.start, kRelaxed);
  record.stride.store(awaited.members.stride, kRelaxed);
  record.size.store(awaited.members.size, kRelaxed);
  record.slot.store(awaited.slot, kRelaxed);
  record.number.store(awaited.number, kRelaxed);
  record.root.store(awaited.root, kRelaxed);
  // Release: who sees since when the wait lasts sees the rest.
  record.since.store(os::now_ns(), std::memory_order_release);
}

}  // namespace

int begin_wait(const Awaited& awaited) noexcept {
  boot::PeRecord& mine = node().record();
  for (int place = 0; place < boot::kWaits; ++place) {
    boot::WaitRecord& record = mine.waits[place];
    std::uint32_t none = 0;
    // Acquire, for the order of `since` and what follows; relaxed where another thread has it.
    if (record.why.compare_exchange_strong(none, static_cast<std::uint32_t>(awaited.why), std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      fill(record, awaited);
      return place;
    }
  }
  return -1;
}

void end_wait(int place) noexcept {
  if (place < 0) {
    return;
  }
  boot::WaitRecord& record = node().record().waits[place];
  record.since.store(0, std::memory_order_relaxed);
  // Release: whichever thread takes the record next comes after the line above.
  record.why.store(0, std::memory_order_release);
}

const sync::WaitNote::Writer kLockNote = {
    [](const void* subject) noexcept { return begin_wait({.why = boot::Waiting::kLock, .object = subject}); },
    end_wait};

void note_held(const void* lock) noexcept {
  const boot::Place place = place_of(lock);
  for (std::atomic<boot::Place>& held : node().record().held) {
    if (held.load(std::memory_order_relaxed) == 0) {
      held.store(place, std::memory_order_relaxed);
      return;
    }
  }
}

void note_released(const void* lock) noexcept {
  const boot::Place place = place_of(lock);
  for (std::atomic<boot::Place>& held : node().record().held) {
    if (held.load(std::memory_order_relaxed) == place) {
      held.store(0, std::memory_order_relaxed);
      return;
    }
  }
}

}  // namespace weft::rma
