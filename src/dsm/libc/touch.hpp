// Memory that a system call is to read or to write: its pages are made to be here, and open, by touching them as a
// program does.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dsm/arena.hpp"
#include "dsm/state.hpp"

namespace weft::dsm::libc {

/// Kernel reads: kFrom; kernel writes: kInto.
enum class Use : bool { kFrom, kInto };

struct Span {
  const void* at = nullptr;
  std::size_t bytes = 0;
  Use use = Use::kFrom;
};

/// How often a call is made again whose pages others have taken away since they were touched: each time takes an
/// acquire at just that moment.
inline constexpr int kTries = 1000;

/// Pages may be missing there.
inline bool is_paged(const Span& span) noexcept {
  return (g.way == Way::kPages || g.safe) && offset_in_range(span.at, 1) != kNowhere && span.bytes != 0;
}

/// No byte changes: a byte of a page that is to be written is or'ed with nothing, at once, so that it stays what
/// another thread makes of it meanwhile.
inline void touch(const Span& span) noexcept {
  if (!is_paged(span)) {
    return;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(span.at);
  // What lies behind the range or the window is not paged, or nobody's.
  std::size_t room = g.base + g.bytes - first;
  for (int k = 0; k < g.n_windows; ++k) {
    const Window& window = g.windows[k];
    room = first - window.at < window.bytes ? window.at + window.bytes - first : room;
  }
  std::uint64_t bytes = span.bytes < room ? span.bytes : room;
  if (g.most_copies != 0 && bytes > std::uint64_t{g.most_copies} / 2 * kPageBytes) {
    bytes = std::uint64_t{g.most_copies} / 2 * kPageBytes;  // more than that would push the first ones out again
  }
  const std::uintptr_t end = first + bytes;
  for (std::uintptr_t at = first; at < end; at = at / kPageBytes * kPageBytes + kPageBytes) {
    auto* const byte = reinterpret_cast<std::uint8_t*>(at);
    if (span.use == Use::kInto) {
      std::uint8_t nothing = 0;
      __asm__("" : "+r"(nothing));  // hidden: clang makes a load of what it knows to change nothing
      (void)__atomic_fetch_or(byte, nothing, __ATOMIC_RELAXED);
    } else {
      (void)*static_cast<const volatile std::uint8_t*>(byte);
    }
  }
}

template <class Result>
bool has_failed(Result result) noexcept {
  if constexpr (std::is_pointer_v<Result>) {
    return result == nullptr;
  } else {
    return result < 0;
  }
}

/// Calls `call`, whose result is -1 or null where it has failed, with what `touch_all` touches there; as often as need
/// be, without effect until it succeeds.
template <class Touch, class Call>
auto again(Touch&& touch_all, Call&& call) {
  for (int k = 0;; ++k) {
    touch_all();
    const auto result = call();
    if (!has_failed(result) || errno != EFAULT || k == kTries) {
      return result;
    }
  }
}

template <class Call>
auto with(const Span& span, Call&& call) {
  return is_paged(span) ? again([&] { touch(span); }, call) : call();
}
template <class Call>
auto with(const Span& one, const Span& other, Call&& call) {
  return is_paged(one) || is_paged(other) ? again(
                                                [&] {
                                                  touch(one);
                                                  touch(other);
                                                },
                                                call)
                                          : call();
}

}  // namespace weft::dsm::libc
