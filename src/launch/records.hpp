// What the PEs' records say, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boot/job.hpp"

namespace weft::launch {

inline boot::Phase phase_of(const boot::PeRecord& record) {
  return static_cast<boot::Phase>(record.phase.load(std::memory_order_acquire));
}
inline boot::Waiting waiting_of(const boot::PeRecord& record) {
  return static_cast<boot::Waiting>(record.waiting.load(std::memory_order_acquire));
}

/// The routine a PE entered last; "" when it has entered none, or is of another build than we are.
std::string call_of(const boot::PeRecord& record);

/// "0-2, 5": numbers in ascending order.
std::string ranges(const std::vector<int>& numbers);

/// What each of these PEs does, or waits for: a line for all PEs that do the same.
std::vector<std::string> doings(boot::JobHeader* job, const std::vector<int>& pes, std::uint64_t now);

}  // namespace weft::launch
