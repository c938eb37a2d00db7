// Do all members of a set make the same collective call? Each PE writes down what it calls, and looks at what those
// that came before it wrote. Nobody waits for that, so a program that relies on no waiting goes on as ever; the last
// one that comes finds what does not fit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interpose/invocation.hpp"

namespace weft::check {

using interpose::Invocation;

/// A collective call on a team or an active set, or on all PEs.
void agree(const Invocation& call) noexcept;
/// One of the symmetric heap; `block` is the address of the block it is about, 0 for a new one.
void agree_on_memory(const Invocation& call, std::uintptr_t block) noexcept;

/// Which set of PEs a call is made on.
struct SetOfPes {
  std::uint64_t name = 0;  // the same on all members, of no other set; 0: nobody to agree with
  int start = 0;
  int stride = 1;
  int size = 1;
};
/// Before the call: no other member has come to it yet.
bool first_to_come(const Invocation& call) noexcept;

/// What all members together give to the collect that has just ended; 0 when that is not known.
std::size_t collected(const Invocation& call) noexcept;

/// All members have made their last call on it and have met since.
void forget_set(std::uint64_t name) noexcept;
/// Last finalize.
void forget_sets() noexcept;

}  // namespace weft::check
