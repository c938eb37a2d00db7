// Blocks of an alltoall on their way from one member to another.
#pragma once

#include <cstring>

#include "coll/collectives.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

namespace detail {
template <class T>
void copy_elements(void* to, const void* from, const Alltoall& call) noexcept {
  T* target = static_cast<T*>(to);
  const T* source = static_cast<const T*>(from);
  for (std::size_t k = 0; k < call.count; ++k) {
    *target = *source;
    target += call.dst;
    source += call.sst;
  }
}
inline void copy_any_elements(std::byte* target, const std::byte* source, const Alltoall& call) noexcept {
  const auto element = static_cast<std::ptrdiff_t>(call.element);
  for (std::size_t k = 0; k < call.count; ++k) {
    std::memcpy(target, source, call.element);
    target += call.dst * element;
    source += call.sst * element;
  }
}
}  // namespace detail

/// Block `to_block` of `to`, the target at some member, becomes block `from_block` of `from`, the source at another.
inline void copy_block(const Alltoall& call, void* to, int to_block, const void* from, int from_block) noexcept {
  const std::size_t block = call.count * call.element;
  auto* target = static_cast<std::byte*>(to) +
                 static_cast<std::ptrdiff_t>(to_block) * static_cast<std::ptrdiff_t>(block) * call.dst;
  const auto* source = static_cast<const std::byte*>(from) +
                       static_cast<std::ptrdiff_t>(from_block) * static_cast<std::ptrdiff_t>(block) * call.sst;
  if (call.dst == 1 && call.sst == 1) {
    copy::copy(target, source, block);
    return;
  }
  switch (call.element) {
    case 1: return detail::copy_elements<std::uint8_t>(target, source, call);
    case 2: return detail::copy_elements<std::uint16_t>(target, source, call);
    case 4: return detail::copy_elements<std::uint32_t>(target, source, call);
    case 8: return detail::copy_elements<std::uint64_t>(target, source, call);
    case 16: return detail::copy_elements<copy::Bits128>(target, source, call);
    default: return detail::copy_any_elements(target, source, call);
  }
}

/// This member's blocks, to all. Each member begins with another one, so that no two write to the same at a time.
inline void put_blocks(const Party& party, const Alltoall& call) noexcept {
  for (int distance = 0; distance < party.size(); ++distance) {
    const int peer = party.after(distance);
    copy_block(call, party.at(call.dest, peer), party.me(), call.source, peer);
  }
}

}  // namespace weft::coll
