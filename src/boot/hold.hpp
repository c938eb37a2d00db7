// Waiting for a debugger, before main.
#pragma once

#include "boot/job.hpp"

namespace weft::boot {

/// If the launcher wants it of this PE (oshrun --debug): waits until a debugger has attached and lets the PE go on.
/// `weft_debugger_attached`, set to 1 by a debugger, does the same.
void hold_for_debugger(PeRecord& record) noexcept;

}  // namespace weft::boot
