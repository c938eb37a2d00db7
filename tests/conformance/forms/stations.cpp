#include <algorithm>
#include <set>
#include <thread>

#include "boot/job.hpp"
#include "coll/barrier.hpp"
#include "forms.hpp"

namespace forms {
namespace {

using weft::coll::Party;

void add(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    static_cast<std::uint64_t*>(into)[k] =
        static_cast<const std::uint64_t*>(with)[k] + static_cast<const std::uint64_t*>(and_with)[k];
  }
}

// More than the words of a station hold.
void expect_sum(Team& team, std::uint64_t salt) {
  constexpr std::size_t kCount = 50;
  std::uint64_t source[kCount];
  std::uint64_t dest[kCount];
  for (std::size_t k = 0; k < kCount; ++k) source[k] = salt * k + static_cast<unsigned>(team.me);
  {
    Party party(team);
    need_done(party, reduce_to(party, {dest, source, kCount, sizeof(std::uint64_t), add}, weft::coll::kToAll,
                               Reached::kStaged));
  }
  const auto n = static_cast<std::uint64_t>(team.members.size);
  for (std::size_t k = 0; k < kCount; ++k) {
    CHECK(dest[k] == n * salt * k + n * (n - 1) / 2, "sum %zu is %lu", k, static_cast<unsigned long>(dest[k]));
  }
}

// More teams than stations: those that come last have one for each call, until others end.
void too_many() {
  constexpr int kTeams = weft::boot::kTeamSlots + 40;
  std::vector<int> pes;
  for (int pe = n_pes() - 1; pe >= 0; --pe) pes.push_back(pe);
  if (n_pes() > 2) std::swap(pes[0], pes[1]);  // no progression
  std::vector<Team*> teams;
  std::set<std::uint64_t> ids;
  for (int k = 0; k < kTeams; ++k) {
    teams.push_back(team_of(pes, static_cast<std::uint64_t>(k)));
    CHECK(ids.insert(teams.back()->id).second, "an id was given twice");
    CHECK(teams.back()->slot == weft::group::kNoStation, "a team has a station that nobody wanted yet");
  }
  for (Team* team : teams) weft::coll::team_barrier(*team);
  int without = 0;
  for (const Team* team : teams) without += team->slot == weft::group::kNoStation ? 1 : 0;
  CHECK(without == 40 + weft::group::kPredefinedTeams, "%d teams have no station", without);
  for (std::size_t k = teams.size() - 60; k < teams.size(); ++k) expect_sum(*teams[k], k);
  // Splitting one takes several calls, for which it has one spare station; there is none for the part.
  Team& last = *teams.back();
  Team* part = nullptr;
  CHECK(!weft::coll::make_teams(last, last.members, weft::boot::Interface::kOpenShmem, &part) && part == nullptr,
        "a part without a station");
  CHECK(last.slot == weft::group::kNoStation, "a spare station was kept");
  weft::coll::destroy_team(*teams[0]);
  weft::coll::destroy_team(*teams[1]);
  CHECK(weft::coll::make_teams(last, last.members, weft::boot::Interface::kOpenShmem, &part),
        "no part, though stations are free");
  CHECK(last.steady && part->steady, "stations are free, and not taken");
  expect_sum(*part, 77);
  expect_sum(last, 5);
  weft::coll::destroy_team(*part);
  for (std::size_t k = 2; k < teams.size(); ++k) weft::coll::destroy_team(*teams[k]);
}

// Teams of the same members under one name, one after another: the leader may be several ahead.
void one_name() {
  std::vector<int> pes;
  for (int pe = 0; pe < n_pes(); ++pe) pes.push_back(pe);
  std::vector<Team*> teams;
  for (int k = 0; k < 60; ++k) teams.push_back(team_of(pes, 7));
  for (std::size_t k = 0; k < teams.size(); ++k) {
    const Room source(Reached::kStaged, 8);
    const Room dest(Reached::kStaged, 8);
    std::memcpy(source.get(), &teams[k]->id, 8);
    {
      Party party(*teams[k]);
      need_done(party, broadcast_from(party, {dest.get(), source.get(), 8, 0}, Reached::kStaged));
    }
    CHECK(std::memcmp(dest.get(), &teams[k]->id, 8) == 0, "team %zu has not one id", k);
    weft::coll::destroy_team(*teams[k]);
  }
}

}  // namespace

void stations() {
  one_name();
  too_many();
}

// Teams with common members are made, used and ended by several threads at a time.
void threads() {
  constexpr unsigned kThreads = 3;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    running.emplace_back([thread] {
      Random random(100 + thread);
      for (std::uint64_t round = 0; round < 40; ++round) {
        Team* team = team_of(some_pes(random), std::uint64_t{thread} << 32 | round);
        if (team == nullptr) continue;
        expect_sum(*team, round);
        weft::coll::team_barrier(*team);
        weft::coll::destroy_team(*team);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
}

}  // namespace forms
