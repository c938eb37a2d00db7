// What members of other nodes have this process change of its part of a window (far_home.cpp): looked at before it is
// believed, and carried out as the processes of the node do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "win/far_wire.hpp"

namespace weft::win {

class Window;

/// Ends the program: that PE has sent what cannot be.
[[noreturn]] void fail_of(int pe, const char* what) noexcept;

/// The data of a question, and whose it is.
struct Asked {
  const std::byte* data = nullptr;
  std::uint64_t bytes = 0;
  int pe = -1;
};
/// What was there, for the answer; null: nobody wants it. Good until the next change.
struct Before {
  const std::byte* at = nullptr;
  std::size_t bytes = 0;
};
/// A place in the queue of the elements' lock; none: it has not come to that.
using Place = std::optional<std::uint32_t>;
/// One at a time in a process. False: the elements' lock is somebody's, nothing was changed, and there is a place in
/// its queue (lock/elsewhere.hpp). Then it is to be called again until it is that place's turn: who asked may be gone
/// by then, and those behind it still wait for the place.
bool change_for(Window& window, const Question& question, const Asked& asked, Place* place, Before* before) noexcept;

}  // namespace weft::win
