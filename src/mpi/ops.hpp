// Operations: the standard's on predefined datatypes, and the program's own.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/datatypes.hpp"
#include "mpi/objects.hpp"

namespace weft::mpi {

/// into[k] = with[k] op into[k] for `count` elements: the order that operations which do not commute are defined in.
using Kernel = void (*)(const void* with, void* into, std::size_t count) noexcept;

struct Op : Object {
  using Handle = MPI_Op;
  static constexpr HandleKind kKind = HandleKind::kOp;
  bool commutes = true;
  // The program's own, of which it has one.
  MPI_User_function* function = nullptr;
  MPI_User_function_c* large_function = nullptr;
};

/// Of a predefined operation on a predefined datatype. Null: the standard does not have the two together.
Kernel kernel_of(const Op& op, const Datatype& datatype) noexcept;

/// The operation on elements of that type, which are there; MPI_ERR_OP: it has none for it.
int combine(const Op& op, const void* with, void* into, MPI_Count count, const Datatype& datatype) noexcept;

void set_up_ops() noexcept;

int op_commutative(const Op& op, int* commute) noexcept;
int op_create(MPI_User_function* function, int commute, MPI_Op* op) noexcept;
int op_create(MPI_User_function_c* function, int commute, MPI_Op* op) noexcept;
int op_free(MPI_Op* op) noexcept;
int reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, const Datatype& datatype, const Op& op) noexcept;

}  // namespace weft::mpi
