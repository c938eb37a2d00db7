// The form "external32" (MPI 5.0, 14.5.2): big-endian, IEEE, elements side by side, with lengths that are the same on
// every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "type/datatype.hpp"

namespace weft::type {

/// `count` elements of the datatype become count * type.external() bytes, which there has to be room for.
void pack_external(const Datatype& type, std::int64_t count, const void* buffer, void* into) noexcept;
/// The other way round.
void unpack_external(const Datatype& type, std::int64_t count, void* buffer, const void* from) noexcept;

}  // namespace weft::type
