// Loading the network, which only jobs of several nodes do.
#pragma once

#include "base/options.hpp"
#include "transport/transport.hpp"

namespace weft::transport {

/// Which network: a folder here, and a number in boot::PeerCard.
enum class Leaf : std::uint8_t { kTcp = 1, kOfi = 2 };
const char* name_of(Leaf leaf) noexcept;  // as WEFT_NET has it

/// By WEFT_NET. By itself libfabric, if it has something on this machine that is faster than TCP, or if the user has
/// named one of its providers. Looks for a device first: loading libfabric to hear of none takes longer than to start.
Leaf choose_leaf(const base::Options& options) noexcept;

/// The rest of `setup` comes from the options. `leaf` says which it has become.
base::Result<Transport*> load(const base::Options& options, Setup setup, Leaf* leaf) noexcept;

}  // namespace weft::transport
