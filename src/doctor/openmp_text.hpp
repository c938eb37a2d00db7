// Sentences about what OpenMP threads do and what is wrong with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "doctor/openmp.hpp"
#include "doctor/text.hpp"

namespace weft::doctor {

/// The calls that a thread is in, innermost first.
using ThreadStacks = std::map<ThreadOf, std::vector<std::string>>;

/// What each thread does: one line for all that do the same, and below it the calls that they are in. `now` is on the
/// clock of the records.
std::vector<std::string> doings(const OpenMpView& view, const std::vector<Pe>& pes, const Names& names,
                                const ThreadStacks& stacks, std::uint64_t now);

std::string sentence(const ThreadFinding& finding, const OpenMpView& view, const std::vector<Pe>& pes,
                     const Names& names);

}  // namespace weft::doctor
