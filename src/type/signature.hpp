// The row of elements of a datatype, without where they lie: what has to be the same on both sides of a message.
#pragma once

#include <cstdint>

#include "type/basic.hpp"

namespace weft::type {

/// Rows that are the same have the same hash, whatever constructors they were made with. `any`: bytes are in it, which
/// match everything.
struct Signature {
  std::uint64_t hash = 0;
  std::int64_t elements = 0;
  bool any = false;

  static Signature of(const Basic& basic) noexcept;
  /// This row, and behind it the other.
  Signature then(const Signature& other) const noexcept;
  /// `times` of this row, of which there may be none.
  Signature repeated(std::int64_t times) const noexcept;

  /// 24 bits for the head of a message, never 0; 0 if it matches everything.
  std::uint32_t brief() const noexcept;
};

}  // namespace weft::type
