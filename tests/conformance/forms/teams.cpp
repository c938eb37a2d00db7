#include <algorithm>
#include <numeric>

#include "coll/barrier.hpp"
#include "forms.hpp"

namespace forms {

std::vector<int> some_pes(Random& random) {
  std::vector<int> pes(static_cast<std::size_t>(n_pes()));
  std::iota(pes.begin(), pes.end(), 0);
  if (random() % 4 != 0) {
    // Not std::shuffle: what that makes of a generator the standard does not say.
    for (std::size_t k = pes.size(); k > 1; --k) std::swap(pes[k - 1], pes[random() % k]);
  }
  pes.resize(1 + random() % pes.size());
  return pes;
}

Team* team_of(const std::vector<int>& pes, std::uint64_t tag) {
  if (std::find(pes.begin(), pes.end(), me()) == pes.end()) {
    return nullptr;
  }
  const auto members = weft::group::members_of(pes.data(), static_cast<int>(pes.size()));
  CHECK(members, "no members: %s", members.error().text());
  Team* team = nullptr;
  CHECK(weft::coll::make_team_of(*members, weft::group::world().id, tag, weft::boot::Interface::kOpenShmem, &team) ==
            weft::coll::Making::kDone,
        "no team of %d PEs", members->size);
  members->drop();
  for (std::size_t k = 0; k < pes.size(); ++k) {
    CHECK(team->members.pe(static_cast<int>(k)) == pes[k], "member %zu is not PE %d", k, pes[k]);
    CHECK(team->members.find(pes[k]) == static_cast<int>(k), "PE %d is not member %zu", pes[k], k);
  }
  return team;
}

// One member never comes. PE 2 is none.
void hang() {
  std::vector<int> pes;
  for (int pe = n_pes() - 1; pe >= 0; --pe) {
    if (pe != 2) pes.push_back(pe);
  }
  std::swap(pes.front(), pes[1]);
  if (Team* team = team_of(pes, 1); team != nullptr && me() != 1) weft::coll::team_barrier(*team);
}

}  // namespace forms
