// The terminal, while a PE has it: gdb, which reads what is typed.
#pragma once

#include <sys/types.h>
#include <termios.h>

namespace weft::launch::processes {

class Foreground {
 public:
  Foreground() = default;
  Foreground(const Foreground&) = delete;
  Foreground& operator=(const Foreground&) = delete;
  ~Foreground() { restore(); }

  /// Before the PE is started, which makes its group that of the foreground.
  void lend();
  /// Takes the terminal back: the PE is stopped, and so shall we be. A shell that has it keeps it.
  void take_back() const;
  /// Gives it to this PE's group again, unless we run in the background ourselves.
  void give(pid_t group);
  /// For good, in the state in which it was.
  void restore();
  bool is_lent() const { return lent_; }

 private:
  bool lent_ = false;
  bool in_background_ = false;
  bool has_modes_ = false;
  termios modes_{};
};

}  // namespace weft::launch::processes
