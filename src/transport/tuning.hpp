// What `weft-perf --tune` has measured, for later jobs: a file of the user's, of one line for each provider,
//
//     tcp;ofi_rxm copy 8192
//
// with lines that begin with # between. Each PE reads it for itself: it decides of its own puts only, so PEs of hosts
// with different files understand each other.
#pragma once

#include <cstddef>
#include <optional>

#include "base/options.hpp"
#include "base/result.hpp"

namespace weft::transport {

inline constexpr std::size_t kTuningPathRoom = 4096;

/// WEFT_NET_FILE, or where such a file lies; false where there is no such place: no home.
bool tuning_path(const base::Options& options, char* path, std::size_t room) noexcept;

/// What the file says of a provider, nothing where there is no file or no such line. An error: it is damaged, or cannot
/// be read.
base::Result<std::optional<std::size_t>> read_tuning(const char* path, const char* provider) noexcept;

/// Of one line. False: it says something else.
struct TuningLine {
  char provider[64];
  std::size_t copy_bytes;
};
bool parse_tuning_line(const char* line, TuningLine* parsed) noexcept;

/// Which copy size a job uses with a provider, and by whose will.
struct CopyChoice {
  std::size_t bytes;
  const char* by;       // "WEFT_NET_COPY", "weft-perf --tune" or "default"
  base::Error problem;  // with the file; empty when there is none
};
base::Result<CopyChoice> choose_copy(const base::Options& options, const char* provider) noexcept;

}  // namespace weft::transport
