// What is told of a job as a whole, besides what each PE does and what is wrong.
#pragma once

#include <string>
#include <vector>

#include "doctor/text.hpp"

namespace weft::doctor {

/// Of each lock that somebody waits for: who has it, and who comes next. Tickets are in the lock's word.
std::vector<std::string> lock_queues(const std::vector<Pe>& pes, const Names& names);

/// "PE 3 has made 5 collective calls of all PEs, the others 6"; "" where nobody waits for that, or all have made as
/// many.
std::string collective_counts(const std::vector<Pe>& pes);

/// Safe mode would tell more of these.
bool safe_mode_helps(const std::vector<Finding>& findings, const std::vector<Pe>& pes);

}  // namespace weft::doctor
