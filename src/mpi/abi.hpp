// The binary interface itself, and what C is told of Fortran.
#pragma once

#include <mpi.h>

#include "mpi/info.hpp"
#include "mpi/objects.hpp"

namespace weft::mpi {

template <class Handle>
int to_int(Handle handle) noexcept {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(handle));
}
template <class Handle>
Handle from_int(int number) noexcept {
  return reinterpret_cast<Handle>(static_cast<std::intptr_t>(number));
}

int abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) noexcept;
int abi_get_fortran_info(MPI_Info* info) noexcept;
int abi_get_info(MPI_Info* info) noexcept;
int abi_get_version(int* abi_major, int* abi_minor) noexcept;
int abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) noexcept;
int abi_set_fortran_info(const Info* info) noexcept;

}  // namespace weft::mpi
