// Which network a job of several nodes takes.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "transport/offers.hpp"

namespace weft::transport {

/// A folder here, and a number in boot::PeerCard.
enum class Leaf : std::uint8_t { kTcp = 1, kOfi = 2 };
const char* name_of(Leaf leaf) noexcept;  // as WEFT_NET has it

/// By WEFT_NET. If that leaves it open, libfabric where the user has named one of its providers, or where it has
/// something on this machine that is faster than TCP. That is asked only on a machine with such a device: to load
/// libfabric, and hear of nothing, takes longer than all else of a start.
Leaf choose_leaf(const base::Options& options, bool (*libfabric_is_faster)() noexcept) noexcept;

/// Whether the provider that libfabric's leaf would choose has a network of its own.
bool is_faster_than_tcp(const Offers& offers) noexcept;

}  // namespace weft::transport
