// What knem's device answers, for machines without its module: regions lie in memory that all processes of a test
// share.
#pragma once

namespace weft::reach::test {

/// Before the processes part.
void make_knem();

/// For Systems::knem_control.
int control_knem(int device, unsigned long command, void* argument);

}  // namespace weft::reach::test
