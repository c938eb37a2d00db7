#include "boot/hold.hpp"

#include <time.h>

#include "os/tracing.hpp"

// For a debugger that we cannot see: `set var weft_debugger_attached = 1`. It has C's name, which is short to type.
extern "C" {
[[gnu::used, gnu::visibility("hidden")]] volatile int weft_debugger_attached = 0;
}

namespace weft::boot {
namespace {

void answer(PeRecord& record, Hold hold) noexcept {
  // Release: the launcher that sees it sees the pid as well.
  record.hold.store(static_cast<std::uint32_t>(hold), std::memory_order_release);
}

}  // namespace

void hold_for_debugger(PeRecord& record) noexcept {
  if (record.hold.load(std::memory_order_acquire) != static_cast<std::uint32_t>(Hold::kAsked)) {
    return;
  }
  os::allow_tracing();
  answer(record, Hold::kHeld);
  // A debugger stops the process as it attaches, so a debugger that is seen has been told to continue.
  while (weft_debugger_attached == 0 && !os::is_traced()) {
    constexpr timespec kPause{0, 20'000'000};
    (void)::nanosleep(&kPause, nullptr);
  }
  answer(record, Hold::kReleased);
}

}  // namespace weft::boot
