// Which network a job of several nodes takes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/options.hpp"
#include "transport/offers.hpp"

namespace weft::transport {

/// A folder here, and a number in boot::PeerCard.
enum class Leaf : std::uint8_t { kTcp = 1, kOfi = 2 };
const char* name_of(Leaf leaf) noexcept;  // as WEFT_NET has it

/// By WEFT_NET, or libfabric where the user has named one of its providers; nothing: that leaves it open.
std::optional<Leaf> leaf_asked_for(const base::Options& options) noexcept;
/// The kernel has a device that libfabric's fast providers work with. It may have no link, or libfabric no provider.
bool has_fast_device() noexcept;

/// If nobody asks for one, libfabric where it has something on this machine that is faster than TCP. That is found out
/// only on a machine with such a device: to load libfabric, and hear of nothing, takes longer than all else of a start.
template <class Ask>
Leaf choose_leaf(const base::Options& options, Ask&& libfabric_is_faster) noexcept {
  if (const auto leaf = leaf_asked_for(options)) {
    return *leaf;
  }
  return has_fast_device() && libfabric_is_faster() ? Leaf::kOfi : Leaf::kTcp;
}

/// Whether the provider that libfabric's leaf would choose has a network of its own.
bool is_faster_than_tcp(const Offers& offers) noexcept;

}  // namespace weft::transport
