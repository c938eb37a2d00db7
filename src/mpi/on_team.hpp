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

inline int raise_missing(Comm& comm, coll::Party::Missing missing) noexcept {
  if (missing.pe == coll::Party::Missing::kNobody) {
    return raise(&comm, MPI_ERR_BUFFER,
                 "there is no memory at %p, from where %zu bytes are to be copied to other ranks", missing.at,
                 missing.bytes);
  }
  const int rank = comm.members.find(missing.pe);
  return raise(&comm, MPI_ERR_BUFFER, "there is no memory at %p, into which %zu bytes of rank %d are to be copied",
               missing.at, missing.bytes, rank >= 0 ? rank : comm.remote.find(missing.pe));
}

/// call(party) is what room coll offers. Where this process has no memory for it the call fails, and the others wait
/// until it is made again; where a buffer of the program's is no memory it fails, and theirs has ended.
template <class Call>
[[nodiscard]] int on_team(Comm& comm, group::Team& team, Call&& call) noexcept {
  std::size_t lacks = 0;
  coll::Party::Missing missing{};
  {
    coll::Party party(team);
    if (call(party)) [[likely]] {
      return MPI_SUCCESS;
    }
    lacks = party.lacks();
    if (party.missing() != nullptr) {
      missing = *party.missing();
    }
  }
  // Behind the party: the handler may be the program's own.
  return lacks != 0 ? raise_lack(comm, lacks) : raise_missing(comm, missing);
}

}  // namespace weft::mpi
