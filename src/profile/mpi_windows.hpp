// Windows of MPI while a profile is made: which calls make, name and use one, and what these count of it.
#pragma once

#include <cstdint>

#include "interpose/mpi_invocation.hpp"
#include "profile/window_book.hpp"

namespace weft::profile {

constexpr bool makes_window(api::mpi::Op operation) {
  using enum api::mpi::Op;
  return operation == win_allocate || operation == win_allocate_shared || operation == win_create ||
         operation == win_create_dynamic;
}

/// What a call has to do with a window.
struct WindowUse {
  enum class Kind : std::uint8_t { kNone, kMoves, kWaits };
  Kind kind = Kind::kNone;
  WindowMoves moves{};
  WindowWaits waits{};
};

constexpr WindowUse moving(WindowMoves what) { return {WindowUse::Kind::kMoves, what, {}}; }
constexpr WindowUse waiting(WindowWaits what) { return {WindowUse::Kind::kWaits, {}, what}; }

constexpr WindowUse use_of(api::mpi::Op operation) {
  using enum api::mpi::Op;
  switch (operation) {
    case put:
    case rput: return moving(WindowMoves::kPut);
    case get:
    case rget: return moving(WindowMoves::kGet);
    case accumulate:
    case compare_and_swap:
    case fetch_and_op:
    case get_accumulate:
    case raccumulate:
    case rget_accumulate: return moving(WindowMoves::kAccumulate);
    case win_lock:
    case win_lock_all: return waiting(WindowWaits::kLock);
    case win_flush:
    case win_flush_all:
    case win_flush_local:
    case win_flush_local_all: return waiting(WindowWaits::kFlush);
    case win_unlock:
    case win_unlock_all: return waiting(WindowWaits::kUnlock);
    case win_fence: return waiting(WindowWaits::kFence);
    case win_post: return waiting(WindowWaits::kPost);
    case win_start: return waiting(WindowWaits::kStart);
    case win_complete: return waiting(WindowWaits::kComplete);
    case win_wait: return waiting(WindowWaits::kWait);
    default: return {};
  }
}

/// Of this process.
WindowBook& windows() noexcept;

/// A window has been made by this call.
void learn_window(const interpose::MpiInvocation& call) noexcept;
void forget_window(const MPI_Win* freed) noexcept;
void name_window(MPI_Win win, const char* name) noexcept;

/// Of one element where the call has no count; 0: it is not known.
std::uint64_t bytes_at_target(const interpose::MpiInvocation& call) noexcept;

}  // namespace weft::profile
