// The constructors of datatypes. What comes back is null if *problem says why; arguments are named as the standard
// does.
#pragma once

#include <cstdint>
#include <span>

#include "type/datatype.hpp"

namespace weft::type {

/// Sizes of a routine's arguments, in elements unless said otherwise.
using Numbers = std::span<const std::int64_t>;

/// A predefined one. `basic` stays where it is.
Ref make_basic(const Basic& basic) noexcept;
/// Two elements as a C struct has them. They and `name` stay where they are.
Ref make_pair(const char* name, const Basic& first, const Basic& second) noexcept;

Ref make_dup(const Ref& of) noexcept;
Ref make_contiguous(Problem* problem, std::int64_t count, const Ref& of, Form form = Form::kSmall) noexcept;

/// `count` blocks of `length` elements; from one to the next it is `stride` elements, or bytes (hvector).
struct Vector {
  std::int64_t count;
  std::int64_t length;
  std::int64_t stride;
};
Ref make_vector(Problem* problem, const Vector& vector, const Ref& of, Form form = Form::kSmall) noexcept;
Ref make_hvector(Problem* problem, const Vector& vector, const Ref& of, Form form = Form::kSmall) noexcept;

/// As many lengths as displacements; these are in elements, or bytes (hindexed).
Ref make_indexed(Problem* problem, Numbers lengths, Numbers displacements, const Ref& of,
                 Form form = Form::kSmall) noexcept;
Ref make_hindexed(Problem* problem, Numbers lengths, Numbers displacements, const Ref& of,
                  Form form = Form::kSmall) noexcept;
Ref make_indexed_block(Problem* problem, std::int64_t length, Numbers displacements, const Ref& of,
                       Form form = Form::kSmall) noexcept;
Ref make_hindexed_block(Problem* problem, std::int64_t length, Numbers displacements, const Ref& of,
                        Form form = Form::kSmall) noexcept;
/// As many of each; displacements in bytes.
Ref make_struct(Problem* problem, Numbers lengths, Numbers displacements, std::span<const Ref> types,
                Form form = Form::kSmall) noexcept;
/// In bytes.
Ref make_resized(Problem* problem, std::int64_t lb, std::int64_t extent, const Ref& of,
                 Form form = Form::kSmall) noexcept;

/// Which index of an array moves fastest in memory: the last one, or the first one. As Contents::integers has it.
enum class Order : std::uint8_t { kC, kFortran };

/// Of each dimension.
struct Subarray {
  Numbers sizes;
  Numbers subsizes;
  Numbers starts;
  Order order;
};
Ref make_subarray(Problem* problem, const Subarray& part, const Ref& of, Form form = Form::kSmall) noexcept;

/// How a dimension is dealt out. As Contents::integers has it.
enum class Deal : std::uint8_t { kBlock, kCyclic, kNone };
inline constexpr std::int64_t kDefaultArgument = -1;

/// What is process `rank`'s of a global array that is dealt out over a grid of processes (MPI_Type_create_darray).
struct Darray {
  std::int64_t size;  // processes in the grid
  std::int64_t rank;
  Numbers global_sizes;
  std::span<const Deal> deals;
  Numbers arguments;  // kDefaultArgument: the deal's own
  Numbers processes;
  Order order;
};
Ref make_darray(Problem* problem, const Darray& part, const Ref& of, Form form = Form::kSmall) noexcept;

}  // namespace weft::type
