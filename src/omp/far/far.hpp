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

/// What the others need of the thread in process 0 to run something (omp/program/carried.hpp).
struct Carry {
  std::uint64_t modes = 0;
  std::uint32_t version = 0;
};
/// In the others: what process 0 wants next. kRun. Its argument stays until kDone is sent.
Message next_wanted() noexcept;
/// In the others: it has been done.
void tell_done() noexcept;
/// In process 0: what it had others run has returned everywhere.
bool all_are_idle() noexcept;
/// This is process 0, and no other one does anything before that begins the next region: what is released until then
/// may be owed (dsm/owed.hpp). True as well while process 0 is still in a region that all others have left.
bool others_wait() noexcept;
void run(int processes, void (*body)(void*), void* argument, std::size_t bytes, const void* site,
         const Carry& carry) noexcept;

const Table& table() noexcept;

}  // namespace weft::omp::far
