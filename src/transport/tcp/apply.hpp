// Operations on the memory of this PE for another one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace weft::transport::tcp {

/// By the processor, so atomic against all other processors. Returns the bits that were there.
std::uint64_t apply(const Atomic& what, void* at) noexcept;

/// Of at most kWord bytes. One store or load when they are 1, 2, 4 or 8 aligned bytes.
void store_word(void* at, const void* from, std::size_t bytes) noexcept;
std::uint64_t load_word(const void* at, std::size_t bytes) noexcept;

}  // namespace weft::transport::tcp
