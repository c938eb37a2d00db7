// Sentences about what PEs do and what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/diagnosis.hpp"

namespace weft::doctor {

/// What things are called and what they hold; only the processes and the debug information know.
class Names {
 public:
  virtual ~Names() = default;
  /// "solver.c:88 in solve", or an address; "" for none.
  virtual std::string site(int pe, std::uint64_t site) const = 0;
  /// What the wait is for: "flag", "at 0x20000040 in shared memory", "" where it is of no place in particular, "byte 64
  /// of the block of 400 bytes that shmem_malloc gave at solver.c:20 in main".
  virtual std::string object(int pe, const Wait& wait) const = 0;
  /// What lies at an address of the PE's.
  virtual std::string variable(int /*pe*/, std::uint64_t address) const { return "at " + std::to_string(address); }
  /// The bytes (1 to 8) that lie there.
  virtual std::optional<std::uint64_t> value(int pe, boot::Place place, int bytes) const = 0;
};

/// "0-2, 5": numbers in ascending order. Of many ranges only the first, and how many numbers more.
std::string ranges(const std::vector<int>& numbers);
/// What a PE is called: "rank" where all that have called anything are MPI programs.
std::string word_for(const std::vector<Pe>& pes);
/// "PE 3", "PEs 0-2, 5", by that word.
std::string name_of(const std::vector<int>& pes, const std::string& word);

/// "1 minute 5 s", "31 s", "0.4 s".
std::string duration(std::uint64_t nanoseconds);

/// "at heat.c:40 in step for the contents of what lies at 0x2000 in shared memory": what follows how long it has
/// waited.
std::string waiting_text(const std::vector<Pe>& pes, const Names& names, int pe, const Wait& wait);

/// What each PE does: one line for all that do the same, and below it the calls that they are in. `now` is on the clock
/// of the records. OpenMP threads have lines of their own (openmp_text.hpp).
std::vector<std::string> doings(const std::vector<Pe>& pes, const Names& names, std::uint64_t now);

/// "the exclusive lock of rank 1 in the window matrix"
std::string lock_text(const HeldOfWindow& held, const std::string& word);

std::string sentence(const Finding& finding, const std::vector<Pe>& pes, const Names& names);

}  // namespace weft::doctor
