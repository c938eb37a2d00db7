#include "os/guarded_copy.hpp"

#include <atomic>
#include <csetjmp>

namespace weft::os {
namespace {

struct Guard {
  sigjmp_buf back;
  std::uintptr_t to;
  std::uintptr_t from;
  std::size_t bytes;
};

// Volatile, as the handler looks at it between any two instructions of its own thread.
thread_local Guard* volatile t_guard = nullptr;

// Whether the way back restores the signal mask, which is a system call: the handler leaves its signal unblocked
// (SA_NODEFER). ThreadSanitizer runs it with all signals blocked.
#if defined(__SANITIZE_THREAD__)
constexpr int kKeepMask = 1;
#else
constexpr int kKeepMask = 0;
#endif

// Longer than 0, since sigsetjmp tells the first return by that.
constexpr int code(Fault fault) noexcept { return static_cast<int>(fault); }

}  // namespace

Fault guarded_copy(void* to, const void* from, std::size_t bytes, Copying copying) noexcept {
  if (bytes == 0) {
    return Fault::kNone;
  }
  Guard guard;
  guard.to = reinterpret_cast<std::uintptr_t>(to);
  guard.from = reinterpret_cast<std::uintptr_t>(from);
  guard.bytes = bytes;
  const int came = sigsetjmp(guard.back, kKeepMask);
  if (came != 0) {
    t_guard = nullptr;
    return static_cast<Fault>(came);
  }
  t_guard = &guard;
  // The compiler may let no part of the copy stray past these two.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copying(to, from, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t_guard = nullptr;
  return Fault::kNone;
}

void end_guarded_copy(const siginfo_t& fault) noexcept {
  Guard* guard = t_guard;
  // Sent by kill or raise: it has no address. An address elsewhere: another handler, which interrupted the copy,
  // failed.
  if (guard == nullptr || fault.si_code <= 0) {
    return;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(fault.si_addr);
  if (at - guard->from < guard->bytes) {
    siglongjmp(guard->back, code(Fault::kFrom));
  }
  if (at - guard->to < guard->bytes) {
    siglongjmp(guard->back, code(Fault::kTo));
  }
}

}  // namespace weft::os
