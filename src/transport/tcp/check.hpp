// What others ask for is checked before it is done: a member of the job may have lost its senses.
#pragma once

#include "transport/tcp/protocol.hpp"
#include "transport/tcp/regions.hpp"

namespace weft::transport::tcp {

/// What is wrong with a request for this memory, as a predicate for a sentence about who asks; null: nothing.
const char* wrong_with(const Request& request, const Regions& regions) noexcept;

}  // namespace weft::transport::tcp
