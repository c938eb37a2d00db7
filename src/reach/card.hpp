// What processes tell each other in shared memory so that one can reach the other's. Nobody believes it: the first use
// of a way tries it on a word of the process that the card names (peer.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reach/way.hpp"

namespace weft::reach {

/// Of a process. 0 in all: it shows nothing.
struct alignas(64) Card {
  std::atomic<std::uint32_t> ways;  // a bit for each Way; written last, so who sees a bit sees the rest
  std::int32_t pid;
  std::uint64_t started;     // since the machine did, as the kernel counts; tells a number that is used again
  std::uint64_t user_space;  // numbers of the namespaces that it is in
  std::uint64_t pid_space;
  std::uint64_t segment;       // xpmem's name for its memory
  std::uint64_t probe;         // where its Probe is
  std::uint64_t probe_cookie;  // knem's name for that
  std::uint64_t token;         // what the probe holds
};
static_assert(sizeof(Card) == 64 && std::is_standard_layout_v<Card>);
static_assert(offsetof(Card, pid) == 4 && offsetof(Card, started) == 8 && offsetof(Card, token) == 56);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

constexpr std::uint32_t bit(Way way) noexcept { return std::uint32_t{1} << static_cast<int>(way); }

/// The word on which others try whether they reach this process, and the one that they try to write: all write the
/// same.
struct Probe {
  std::uint64_t token;
  std::atomic<std::uint64_t> answer;
};
static_assert(sizeof(Probe) == 16 && std::is_standard_layout_v<Probe> && offsetof(Probe, answer) == 8);

/// Memory of a process that it lets others reach, as it tells them by a message.
struct Place {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t cookie;  // knem's name for it; 0 where the way does not need one
};
static_assert(sizeof(Place) == 24 && std::is_standard_layout_v<Place>);

}  // namespace weft::reach
