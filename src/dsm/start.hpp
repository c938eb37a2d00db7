// Begin and end of the shared memory in a PE.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {

struct Plan {
  std::uint64_t bytes = 0;
  const char* option = nullptr;  // what says how many, for messages
  bool by_memory = false;        // in this way or not at all; of neither, by the number of nodes
  bool by_pages = false;
  std::uint64_t cache_bytes = UINT64_MAX;  // of copies of pages and their twins
  protocol::Renewal renewal = protocol::Renewal::kLearned;
  bool learn_homes = true;
  bool safe = false;              // safe mode
  const char* profile = nullptr;  // folder of a recording to count in; null: none is made
  bool of_openmp = false;
  bool code = false;   // the program has code on its stacks, which may be in shared memory
  bool crowd = false;  // the program has many threads, and others' questions are to be answered while they compute
  using IsClosed = bool(std::uintptr_t at) noexcept;
  IsClosed* is_closed = nullptr;  // nobody may touch it, though it is shared memory
};

/// After job::start, and after all PEs have met; all of them call. An error is not the same on all PEs.
base::Result<void> begin(const Plan& plan) noexcept;
/// Somebody may have taken the signals by which pages come: then he is asked after us.
void handle_faults() noexcept;
/// This PE's memory stays, as it is: nothing is kept alike by itself any more, and what the PE has used is here. Before
/// others end.
void rest() noexcept;
/// All PEs have met, and none of them uses shared memory any more.
void end() noexcept;
/// In a forked child, which has no part in it.
void leave_after_fork() noexcept;

}  // namespace weft::dsm
