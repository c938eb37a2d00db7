// What the profile itself asks of MPI: it comes to no wrapper.
#pragma once

#include <cstdint>

#include "api/mpi/calls.hpp"
#include "interpose/mpi_invocation.hpp"
#include "interpose/real.hpp"

#define WEFT_REAL_MPI(name)                                                                                  \
  ([]() noexcept {                                                                                           \
    static const auto found =                                                                                \
        reinterpret_cast<decltype(&P##name)>(interpose::find_next("P" #name, library_of(api::mpi::Call{}))); \
    return found;                                                                                            \
  }())

namespace weft::profile {

/// The MPI behind this tool is Weft's. Of another one, in a program of OpenSHMEM that has it beside Weft, calls pass
/// by.
bool is_weft() noexcept;

/// Of a call that has returned: a wrong datatype would have ended it.
std::uint64_t bytes_of(long long count, MPI_Datatype datatype) noexcept;

}  // namespace weft::profile
