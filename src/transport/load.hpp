// Loading the network, which only jobs of several nodes do.
#pragma once

#include "base/options.hpp"
#include "transport/choose.hpp"
#include "transport/transport.hpp"

namespace weft::transport {

/// The rest of `setup` comes from the options. `leaf` says which it has become.
base::Result<Transport*> load(const base::Options& options, Setup setup, Leaf* leaf) noexcept;

}  // namespace weft::transport
