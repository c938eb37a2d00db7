// The files of a recording, mapped to be read.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "profile/recording.hpp"

namespace weft::report {

struct RawPe {
  const profile::Header* header = nullptr;
  std::vector<const profile::ThreadPart*> parts;
};

struct Raw {
  std::vector<RawPe> pes;      // by number; header is null for a PE that never got so far
  std::uint64_t ended_ns = 0;  // CLOCK_MONOTONIC; 0: nobody noted it
};

/// The mappings stay until the program ends.
base::Result<Raw> load(const std::string& folder);

/// Notes that the job is over now, unless that was noted before.
base::Result<void> note_end(const std::string& folder);

}  // namespace weft::report
