// The memory that a call uses, argument by argument.
#pragma once

#include "interpose/invocation.hpp"

namespace weft::check {

using interpose::Invocation;

/// Reports an argument that is outside of what it may use: freed, beyond its block, not aligned for its type, or
/// overlapping another. What libweft.so itself says clearly is left to it.
void check_operands(const Invocation& call) noexcept;

/// After a collect its whole length is known.
void check_collected(const Invocation& call) noexcept;

/// Before a collective on an active set: pSync holds what it must.
void check_psync(const Invocation& call) noexcept;

}  // namespace weft::check
