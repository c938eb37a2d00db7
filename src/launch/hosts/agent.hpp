// An agent: runs the PEs of one host for an oshrun on another one, and starts the agents below it in the tree. It
// decides nothing about the job; it does what it is told and tells what happens.
#pragma once

namespace weft::launch::hosts {

/// Takes its orders from standard input and answers on standard output, until the job is over or oshrun has gone. Then
/// nothing of the job is left on this host. The result is the exit code. To be called once in a process.
int run_agent();

}  // namespace weft::launch::hosts
