// What the toy does for a program, all of it, in a round that all PEs make.
#pragma once

namespace toy {

/// Ends the process with a line where something is not as it should be.
void need(bool good, const char* what);

void exercise(int round);

}  // namespace toy
