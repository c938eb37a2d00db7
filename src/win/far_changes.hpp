// What members of other nodes have this process change of its part of a window (far_home.cpp): looked at before it is
// believed, and carried out as the processes of the node do it.
#pragma once

#include <cstddef>
#include <cstdint>

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
/// One at a time in a process. False: the elements' lock is somebody's, and nothing was changed.
bool change_for(Window& window, const Question& question, const Asked& asked, Before* before) noexcept;

}  // namespace weft::win
