// What the facts mean for a job of that many PEs. A function of the facts alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "facts.hpp"

namespace weft::info {

/// kBad: a job will not start or will not end well. kWarn: it will be slow, or may fail. kNote: good to know.
enum class Level : std::uint8_t { kOk, kNote, kWarn, kBad };

struct Finding {
  const char* topic;  // one word or two with a dash: the name of it in --json
  Level level;
  std::string found;   // with the value
  std::string why;     // it matters to Weft, or does not
  std::string remedy;  // a command; "" where there is nothing to mend
};

const char* level_text(Level level);

/// In a fixed order, one finding for each topic at least.
std::vector<Finding> judge(const Facts& facts);

// Its parts, each of one kind: judge_memory.cpp, judge_limits.cpp, judge_machine.cpp.
std::vector<Finding> judge_memory(const Facts& facts);
std::vector<Finding> judge_limits(const Facts& facts);
std::vector<Finding> judge_machine(const Facts& facts);
std::vector<Finding> judge_options(const Facts& facts);

/// Bytes of symmetric heap of each PE, 0 when oshrun would refuse to start the job.
std::uint64_t heap_of_each(const Facts& facts);

/// The same, or what was asked for where it would be refused: the other judgements are about that job all the same.
std::uint64_t planned_heap(const Facts& facts);

/// A command that only root may run, as this user would type it; and one that writes a text to a file of root's.
std::string as_root(const Facts& facts, const std::string& command);
std::string write_as_root(const Facts& facts, const std::string& text, const std::string& path, bool append = false);

/// "8 PEs", "2 GiB".
std::string pes_text(int n_pes);
std::string bytes_text(std::uint64_t bytes);

}  // namespace weft::info
