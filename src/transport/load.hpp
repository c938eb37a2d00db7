// Loading the network, which only jobs of several nodes do.
#pragma once

#include "transport/transport.hpp"

namespace weft::transport {

base::Result<Transport*> load(const Setup& setup) noexcept;

}  // namespace weft::transport
