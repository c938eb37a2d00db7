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
  /// "flag", "heap+0x40".
  virtual std::string object(int pe, boot::Place place) const = 0;
  /// The bytes (1 to 8) that lie there.
  virtual std::optional<std::uint64_t> value(int pe, boot::Place place, int bytes) const = 0;
};

/// "0-2, 5": numbers in ascending order.
std::string ranges(const std::vector<int>& numbers);

/// "1 minute 5 s", "31 s", "0.4 s".
std::string duration(std::uint64_t nanoseconds);

/// What each PE does: one line for all that do the same. `now` is on the clock of the records.
std::vector<std::string> doings(const std::vector<Pe>& pes, const Names& names, std::uint64_t now);

std::string sentence(const Finding& finding, const std::vector<Pe>& pes, const Names& names);

}  // namespace weft::doctor
