// The files of a recording, mapped to be read. What is in them is checked before anybody goes by it: they may have been
// cut short, come from elsewhere, or be no recordings at all.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "dsm/record.hpp"
#include "profile/recording.hpp"
#include "profile/window_record.hpp"

namespace weft::report {

struct RawPe {
  const profile::Header* header = nullptr;
  std::vector<const profile::ThreadPart*> parts;
};

struct Raw {
  std::vector<RawPe> pes;                 // by number; header is null for a PE that never got so far
  std::vector<const dsm::Record*> pages;  // the same; none at all where no PE shared memory
  std::vector<std::vector<const profile::WindowPart*>> windows{};  // of each PE whose calls there are
  std::uint64_t ended_ns = 0;                                      // CLOCK_MONOTONIC; 0: nobody noted it
};

/// The bytes of a file, which begin at a multiple of 64 and stay the caller's. Null: there is no such file.
struct Bytes {
  const std::byte* at = nullptr;
  std::size_t size = 0;
  std::string name{};  // for messages
};

/// The recording of one PE, or what is wrong with it: afterwards all that is used as a number of something is sound.
base::Result<RawPe> read_pe(const Bytes& file);

/// The same for what it has recorded of its shared pages.
base::Result<const dsm::Record*> read_pages(const Bytes& file);

/// The same for what it has recorded of windows, beside the calls of this PE.
base::Result<std::vector<const profile::WindowPart*>> read_windows(const Bytes& file, const profile::Header& header);

/// The recordings of a job; the place in the list is the PE's number. None at all: no PEs.
base::Result<Raw> read_job(const std::vector<Bytes>& files);
/// Beside those of its calls, if there are such.
base::Result<void> read_pages_of_job(const std::vector<Bytes>& files, Raw* raw);
base::Result<void> read_windows_of_job(const std::vector<Bytes>& files, Raw* raw);

/// The mappings stay until the program ends.
base::Result<Raw> load(const std::string& folder);

/// Notes that the job is over now, unless that was noted before.
base::Result<void> note_end(const std::string& folder);

}  // namespace weft::report
