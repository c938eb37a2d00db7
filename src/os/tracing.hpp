// Debuggers of this process.
#pragma once

namespace weft::os {

/// A debugger is attached. One outside of this container's process numbers is not seen.
bool is_traced() noexcept;

/// Any process of this user may attach, also where the kernel allows it to parents only (Yama's ptrace_scope 1).
void allow_tracing() noexcept;

/// This process and what it has started may, besides those that may anyway: one that is to look into its children is
/// their parent, but the programs that look for it are not. `process` 0: back to those.
void allow_tracing_by(int process) noexcept;

}  // namespace weft::os
