// Datatypes: the predefined ones, by what operations can do with them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/objects.hpp"

namespace weft::mpi {

/// What an element of a predefined datatype is; which operations it has follows.
enum class ElementClass : std::uint8_t { kNone, kInteger, kReal, kComplex, kLogical, kByte, kAddress, kPair };

struct Datatype : Object {
  using Handle = MPI_Datatype;
  static constexpr HandleKind kKind = HandleKind::kDatatype;
  ElementClass element = ElementClass::kNone;
  std::size_t size = 0;    // of the data
  std::size_t extent = 0;  // from one element to the next
};

void set_up_datatypes() noexcept;

MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept;
MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) noexcept;
int get_address(const void* location, MPI_Aint* address) noexcept;

}  // namespace weft::mpi
