// The elements of a row of bytes: how many there are (MPI_Get_elements), and where each lies.
#pragma once

#include <cstdint>
#include <optional>

#include "type/datatype.hpp"

namespace weft::type {

/// Elements in the first `bytes` of a row of such datatypes. None: the last one is not whole, or there are bytes of a
/// datatype without any.
std::optional<std::int64_t> elements_in(const Datatype& type, std::int64_t bytes) noexcept;

/// The signature of the first `bytes` of such a row: what a message of so many bytes has to have. None as above.
std::optional<Signature> signature_of(const Datatype& type, std::int64_t bytes) noexcept;

/// What is done with the elements of a row, in order.
class Visitor {
 public:
  /// `count` elements, `stride` bytes from one to the next. False ends the walk.
  virtual bool visit(const Basic& basic, std::uintptr_t at, std::int64_t count, std::int64_t stride) noexcept = 0;

 protected:
  ~Visitor() = default;
};

/// All elements of `count` such at `base`. False if the visitor ended it.
bool visit_elements(const Datatype& type, std::int64_t count, std::uintptr_t base, Visitor* visitor) noexcept;

}  // namespace weft::type
