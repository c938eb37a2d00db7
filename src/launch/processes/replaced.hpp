// A PE that has become another program by exec, after shmem_init, waits for nobody and answers nobody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boot/job.hpp"

namespace weft::launch::processes {

class Replacements {
 public:
  /// Of so many PEs, whose processes wear `mark` (guard.hpp).
  Replacements(int n_pes, std::uint64_t mark) : not_before_(static_cast<std::size_t>(n_pes), 0), mark_(mark) {}

  /// The file of the program that is now where the PE of this record was; nothing while it is the PE. The record is not
  /// believed. To be called often: it costs a load, and where that shows something more, a look once in a second.
  std::optional<std::string> find(int pe, const boot::PeRecord& record, std::uint64_t now);

 private:
  std::vector<std::uint64_t> not_before_;  // ns, of the next look
  std::uint64_t mark_;
};

}  // namespace weft::launch::processes
