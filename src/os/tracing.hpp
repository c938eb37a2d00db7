// Debuggers of this process.
#pragma once

namespace weft::os {

/// A debugger is attached. One outside of this container's process numbers is not seen.
bool is_traced() noexcept;

/// Any process of this user may attach, also where the kernel allows it to parents only (Yama's ptrace_scope 1).
void allow_tracing() noexcept;

}  // namespace weft::os
