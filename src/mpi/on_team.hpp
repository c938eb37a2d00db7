// A collective of the core as the part of a call.
#pragma once

#include <cstddef>

#include "coll/forms.hpp"
#include "mpi/communicators.hpp"
#include "mpi/errors.hpp"

namespace weft::mpi {

inline int raise_lack(Comm& comm, std::size_t bytes) noexcept {
  return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for %zu bytes that the call needs; the others wait for it",
               bytes);
}

/// call(party) is what room coll offers. Where this process has no memory for it the call fails, and the others wait
/// until it is made again.
template <class Call>
[[nodiscard]] int on_team(Comm& comm, group::Team& team, Call&& call) noexcept {
  std::size_t lacks = 0;
  {
    coll::Party party(team);
    if (call(party)) [[likely]] {
      return MPI_SUCCESS;
    }
    lacks = party.lacks();
  }
  // Behind the party: the handler may be the program's own.
  return raise_lack(comm, lacks);
}

}  // namespace weft::mpi
