// Processes of a program that have its memory by pages: what they tell each other, and what process 0 knows for all.
// Each has the OpenMP library's own state to itself; a team over them is a team in each, and what these have in common
// lies at process 0 (board.hpp).
#pragma once

#include "base/result.hpp"
#include "omp/far/message.hpp"
#include "transport/transport.hpp"

namespace weft::omp::far {

/// Before anybody can tell this process something. Null: all are on one node, and tell by memory that it has.
void opening(transport::Transport* network) noexcept;
/// When there is shared memory, in all processes, followed by a barrier.
void begin() noexcept;
/// How many threads each process is to have, told by all; a barrier.
void tell_threads(int here) noexcept;

/// In the others: what process 0 wants next. kRun.
Message next_wanted() noexcept;
/// In process 0: what it had others run has returned everywhere.
bool all_are_idle() noexcept;
void run(int processes, void (*body)(void*), void* argument, const void* site) noexcept;
/// To the process, when it can be told.
void send(int process, const Message& message) noexcept;

const Table& table() noexcept;

}  // namespace weft::omp::far
