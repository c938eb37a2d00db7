// What every member of a communicator says of the one that it will be in, heard by all.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "mpi/on_team.hpp"

namespace weft::mpi {

template <class Offer>
[[nodiscard]] int offers_of_all(Comm& comm, const Offer& mine, std::vector<Offer>* offers) noexcept {
  static_assert(std::is_trivially_copyable_v<Offer>);
  const auto n = static_cast<std::size_t>(comm.team->members.size);
  offers->resize(n);
  std::vector<std::size_t> offsets(n);
  const std::vector<std::size_t> bytes(n, sizeof(Offer));
  for (std::size_t k = 0; k < n; ++k) {
    offsets[k] = k * sizeof(Offer);
  }
  return on_team(comm, *comm.team, [&](coll::Party& party) {
    return coll::gather(party,
                        {offers->data(), &mine, {offsets.data(), bytes.data()}, coll::kToAll, coll::Reached::kStaged});
  });
}

}  // namespace weft::mpi
