// Who waits for another PE by loads alone, without any call, sees what it stores: a thread of Weft's own releases and
// acquires when the PE itself has not done so for a moment. Sooner than promised is always allowed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.hpp"

namespace weft::dsm {

// Two of them, of the one that writes and of the one that reads, and what they have to do stay below 10 ms. To look
// whether there is something takes a microsecond or so.
inline constexpr std::uint64_t kBusyBeatNs = 1'000'000;
inline constexpr std::uint64_t kQuietBeatNs = 3'000'000;
// Programs that compute for longer than a beat between two barriers have thousands of pages to compare, which takes a
// beat or so: so who has done something rests so many times as long as that has taken of a processor, within bounds.
inline constexpr std::uint64_t kRests = 32;
inline constexpr std::uint64_t kLongestRestNs = 100'000'000;

/// Until the next one, behind one that took so long; 0: it has done nothing.
constexpr std::uint64_t beat_behind(std::uint64_t took_ns, bool quiet) noexcept {
  return quiet ? kQuietBeatNs : std::clamp(std::min(took_ns, kLongestRestNs) * kRests, kBusyBeatNs, kLongestRestNs);
}

base::Result<void> start_heartbeat() noexcept;
void stop_heartbeat() noexcept;

}  // namespace weft::dsm
