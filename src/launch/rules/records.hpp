// What the PEs' records say, as far as the end of a job depends on it.
#pragma once

#include <cstdint>
#include <string>

#include "boot/job.hpp"
#include "calls/calls.hpp"

namespace weft::launch::rules {

inline boot::Phase phase_of(const boot::PeRecord& record) {
  const auto phase = static_cast<boot::Phase>(record.phase.load(std::memory_order_acquire));
  return phase <= boot::kLastPhase ? phase : boot::Phase::kInitialised;  // a stray store: it has begun, at least
}

struct LongWait {
  boot::Waiting why = boot::Waiting::kNot;
  std::uint64_t since = 0;  // ns
};
/// The one that a thread of the PE has begun last: as long as one begins waits, the PE goes on.
LongWait waiting_of(const boot::PeRecord& record, std::uint64_t now);

/// The same of its OpenMP threads; since when, 0: none waits. A thread that only waits for the next region does not.
std::uint64_t threads_wait_since(const boot::PeThreads& threads, std::uint64_t now);

/// The routine a PE entered last; "" when it has entered none, or what is noted there cannot be.
std::string call_of(const boot::PeRecord& record);
/// What that routine's interface calls the beginning and the end of a PE.
calls::Words words_of(const boot::PeRecord& record);

}  // namespace weft::launch::rules
