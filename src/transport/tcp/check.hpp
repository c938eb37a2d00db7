// What others ask for is checked before it is done: a member of the job may have lost its senses.
#pragma once

#include "transport/tcp/protocol.hpp"

namespace weft::transport::tcp {

/// Null: it is not in what others may reach.
std::byte* place(const Memory (&regions)[kRegions], Region region, std::uint64_t offset, std::uint64_t bytes) noexcept;

/// What is wrong with a request for this memory, as a predicate for a sentence about who asks; null: nothing.
const char* wrong_with(const Request& request, const Memory (&regions)[kRegions]) noexcept;

}  // namespace weft::transport::tcp
