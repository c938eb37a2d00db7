// A program that is named: what it is, and what oshrun would make of it in several processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weft::info {

/// What becomes of several processes of it.
struct Outcome {
  // They are one program; each is one of its own; they end with a line.
  enum class Is : std::uint8_t { kOne, kEach, kNone };
  Is is = Is::kEach;
  std::string why;
  std::string remedy;  // empty: none is needed
};
const char* outcome_text(Outcome::Is is);

/// Instructions of the executable that would be carried out at their words' homes.
struct Atomics {
  int jumps = 0;
  int traps = 0;
  std::string problem;  // why they are not known, or cannot be carried out
};

struct Program {
  std::string path;
  std::string kind;
  std::string build_id;
  std::vector<std::string> compilers;
  std::vector<std::string> interfaces;  // of parallel programs that it is written for, and by which library
  std::string openmp;                   // the library that runs its regions, or "linked in"; empty: there is none
  std::optional<Atomics> atomics;       // of what is one program on one host
  std::vector<std::string> regions;     // libraries that it needs and that have OpenMP regions of their own
  Outcome one_host;
  Outcome several_hosts;
};

/// `name` is looked for as oshrun does. An error: what it is instead of a program.
base::Result<Program> look_at_program(const std::string& name);

}  // namespace weft::info
