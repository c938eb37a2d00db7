// An operation on elements of a datatype as the core's collectives see it: elements of one size in a row.
#pragma once

#include <cstddef>

#include "coll/collectives.hpp"
#include "mpi/ops.hpp"
#include "mpi/parts.hpp"
#include "mpi/row_room.hpp"

namespace weft::mpi {

/// Elements of predefined datatypes lie as in the program, with what is between their parts. The program's own
/// operations get elements as they lie in its memory, so others than those in one piece are unpacked around each call.
class Combining {
 public:
  /// The operation has a meaning for the datatype, which is committed.
  Combining(const Op& op, const Datatype& type) noexcept;
  /// Such an operation there is.
  static bool is_defined(const Op& op, const Datatype& type) noexcept;

  /// Bytes of an element of a row.
  std::size_t element() const noexcept { return element_; }
  bool is_packed() const noexcept { return packed_; }
  bool ordered() const noexcept { return !op_.commutes; }
  /// Memory for what function() does with up to so many elements, before anything is told others. Returns the bytes
  /// that there is none for; 0: all is well.
  [[nodiscard]] std::size_t reserve(std::size_t most) noexcept;
  /// For the core, as long as this lasts.
  coll::Combine function() noexcept { return {packed_ ? by_unpacked : op_.commutes ? in_any_order : in_order, this}; }
  /// The row that elements are in; where they are packed, `room` is it, and what it lacks is to be asked.
  void* row_of(const Buffer& buffer, std::optional<RowRoom>* room, bool pack) const noexcept;
  void unpack(const Buffer& buffer, const std::optional<RowRoom>& room) const noexcept;

 private:
  static void in_any_order(void* into, const void* with, const void* and_with, std::size_t count, void* self) noexcept;
  static void in_order(void* into, const void* with, const void* and_with, std::size_t count, void* self) noexcept;
  static void by_unpacked(void* into, const void* with, const void* and_with, std::size_t count, void* self) noexcept;
  void call(const void* with, void* into, std::size_t count) const noexcept;

  const Op& op_;
  const Datatype& type_;
  Kernel kernel_;
  bool packed_ = false;
  std::size_t element_;
  std::size_t at_once_ = 0;  // elements that room_ does for
  std::optional<RowRoom> room_;
};

}  // namespace weft::mpi
