// What the kernel says of a process.
#pragma once

namespace weft::doctor {

/// It is there, and no zombie.
bool lives(int pid);

/// By a signal or a debugger.
bool is_stopped(int pid);

}  // namespace weft::doctor
