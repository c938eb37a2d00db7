// Of a member, in safe mode: accesses to its part that are not complete. Whoever makes one writes it down there, and
// finds what it conflicts with. In memory of the member's own area; members of other nodes do not reach it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lock/readers.hpp"
#include "win/member.hpp"

namespace weft::win {

enum class Touches : std::uint32_t { kGets, kPuts, kChanges };

struct Noted {
  // Bytes of the member's part or, of memory that was attached, its addresses.
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t site = 0;  // the front end's, as the two below and the sum
  std::uint64_t sum = 0;   // of what was put; 0: not known
  std::uint32_t call = 0;
  std::uint32_t pe = 0;  // who makes it
  Touches touches = Touches::kGets;
  std::uint32_t op = 0;  // kChanges; kAnyOp goes with each
  std::uint32_t element = 0;
  std::uint32_t fence = 0;  // the fence behind which it is; 0: in an epoch of another kind
};
inline constexpr std::uint32_t kAnyOp = 0;

/// What comes of both is not defined, in whatever order they are made.
bool conflict(const Noted& one, const Noted& other) noexcept;

/// False: in nothing that is written down. Else the first of what it conflicts with. When there is no room it is
/// forgotten: less is found.
bool note(const Member& member, const Noted& access, Noted* other) noexcept;
/// What this process has written down there in epochs that no fence ends.
void forget(const Member& member, int pe) noexcept;
/// Takes out what is behind earlier fences.
std::vector<Noted> take_fenced(const Member& member, std::uint32_t fence) noexcept;

/// A ledger in this PE's own area; null: there is no memory. And its place for Line::ledger.
void* open_ledger() noexcept;
std::uint64_t ledger_place(const void* ledger) noexcept;

}  // namespace weft::win
