// What the PEs of a pretended network share: one piece of memory, which processes made after it share too.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace weft::pretend {

inline constexpr int kMostPes = 4;
inline constexpr int kMostRegions = 256;
inline constexpr std::size_t kPiece = 16384;  // of data, at most

struct Region {
  std::uint64_t key;  // 0: there is none
  std::byte* at;      // the same address in all processes
  std::size_t bytes;
};

struct Pe {
  std::atomic<std::uint32_t> bell;        // a futex: moves when there may be something to do
  std::atomic<std::uint64_t> progressed;  // how often it has let the network go on
  std::atomic<bool> regions_locked;       // nobody reaches its memory meanwhile
  Region regions[kMostRegions];
};

/// A message on its way, whose data comes in pieces.
struct Entry {
  std::atomic<bool> is_here;  // the sender sets it, the receiver takes it back
  std::uint32_t drops;        // of the connection, before it began
  transport::Kind kind;
  std::uint8_t head_bytes;
  std::uint64_t number;
  std::uint64_t bytes;
  std::byte head[transport::kMostHead];
  std::atomic<std::uint32_t> piece_bytes;  // the sender fills it, the receiver empties it
  std::byte piece[kPiece];
};

enum Lane : int { kTold, kAnswers };
inline constexpr int kLanes = 2;

/// What one PE says to another one.
struct Way {
  std::atomic<std::uint64_t> taken;  // messages: below, their number; above 32 bits, the drops before
  Entry entries[kLanes][transport::kMostTold];
};

struct Wire {
  int pes;
  Pe of[kMostPes];
  std::atomic<std::uint32_t> drops[kMostPes][kMostPes];  // of the connection of two: the first is the smaller
  Way ways[kMostPes][kMostPes];                          // from, to

  std::atomic<std::uint32_t>& drops_of(int one, int other) noexcept {
    return one < other ? drops[one][other] : drops[other][one];
  }
  void ring(int pe) noexcept;
};

/// Null: no memory.
Wire* make_wire(int pes) noexcept;
void free_wire(Wire* wire) noexcept;

}  // namespace weft::pretend
