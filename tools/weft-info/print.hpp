// The two ways to say it: for people, and for programs (docs/weft-info.schema.json).
#pragma once

#include <string>
#include <vector>

#include "about.hpp"
#include "judge.hpp"
#include "program.hpp"

namespace weft::info {

/// What --check found for so many PEs.
struct Check {
  int n_pes;
  std::uint64_t heap_bytes;  // of each, 0 when the job would be refused
  std::vector<Finding> findings;
};

bool works(const Check& check);

void print_about(const About& about);
void print_algorithms(const About& about);
void print_check(const Check& check);
void print_program(const Program& program);

/// `check` and `program` may be null.
std::string json_text(const About& about, const Check* check, const Program* program);

}  // namespace weft::info
