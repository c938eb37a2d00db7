// How buffers of collectives become parts, one for each member of the communicator's team.
#pragma once

#include "mpi/arguments.hpp"
#include "mpi/parts.hpp"

namespace weft::mpi {

/// A buffer with a part of the same length for each peer, one behind the other.
inline void spread(const Comm& comm, const Buffer& buffer, Parts* parts) noexcept {
  for (int k = 0; k < comm.peers().size; ++k) {
    (*parts)[comm.first_peer + k] = buffer.part(k * buffer.count, buffer.count);
  }
}
/// The same data for each.
inline void repeat(const Comm& comm, const Buffer& buffer, Parts* parts) noexcept {
  for (int k = 0; k < comm.peers().size; ++k) {
    (*parts)[comm.first_peer + k] = buffer;
  }
}

/// What a member has beside the parts of all, and its own among these, where they are of one group: MPI_IN_PLACE is
/// said where they are one.
inline int check_own_apart(Comm& comm, int member, const Buffer& own, Parts& parts) noexcept {
  return comm.inter ? MPI_SUCCESS : check_apart(comm, own, parts[member]);
}

}  // namespace weft::mpi
