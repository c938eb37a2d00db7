// Non-blocking calls of teams that have no station from the beginning, and of more of them than there are stations.
#include <algorithm>
#include <numeric>

#include "boot/job.hpp"
#include "coll/barrier.hpp"
#include "coll/ongoing.hpp"
#include "forms.hpp"

namespace forms {
namespace {

using weft::coll::Ongoing;
using weft::coll::Reduce;

void add(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    static_cast<std::uint64_t*>(into)[k] =
        static_cast<const std::uint64_t*>(with)[k] + static_cast<const std::uint64_t*>(and_with)[k];
  }
}

// Non-blocking calls take the station while the program does something else.
void not_waited_for() {
  Random random(31);
  for (std::uint64_t round = 0; round < 20; ++round) {
    const Room source(Reached::kSymmetric, 8);
    const Room dest(Reached::kSymmetric, 8);
    Team* team = team_of(some_pes(random), round);
    if (team == nullptr) continue;
    const auto mine = static_cast<std::uint64_t>(team->me) + round;
    std::memcpy(source.get(), &mine, sizeof mine);
    const Reduce sum{dest.get(), source.get(), 1, sizeof mine, add};
    weft::coll::Ongoing* request = weft::coll::start_reduce(*team, sum);
    if (round % 2 == 0) weft::coll::team_barrier(*team);
    weft::coll::wait(request);
    std::uint64_t all = 0;
    std::memcpy(&all, dest.get(), sizeof all);
    const auto n = static_cast<std::uint64_t>(team->members.size);
    CHECK(all == n * (n - 1) / 2 + n * round, "the sum is %lu", static_cast<unsigned long>(all));
    weft::coll::destroy_team(*team);
  }
}

// A run of members, which only its neighbour can be joined to.
struct Run {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr std::uint32_t kBroken = 77'777;

void join(void* into, const void* with, const void* and_with, std::size_t count, void* /*state*/) noexcept {
  for (std::size_t k = 0; k < count; ++k) {
    const Run left = static_cast<const Run*>(with)[k];
    const Run right = static_cast<const Run*>(and_with)[k];
    static_cast<Run*>(into)[k] = right.first == left.last + 1 ? Run{left.first, right.last} : Run{kBroken, kBroken};
  }
}

// In the order of the members, however they lie on the nodes.
void in_order() {
  Random random(37);
  for (std::uint64_t round = 0; round < 12; ++round) {
    const std::size_t count = round % 3 == 0 ? 1 : 700 * round;
    const bool in_place = round % 2 == 0;
    const Room source(Reached::kSymmetric, count * sizeof(Run));
    const Room dest(Reached::kSymmetric, count * sizeof(Run));
    Team* team = team_of(some_pes(random), 1000 + round);
    if (team == nullptr) continue;
    const auto number = static_cast<std::uint32_t>(team->me);
    auto* runs = reinterpret_cast<Run*>(source.get());
    std::fill(runs, runs + count, Run{number, number});
    void* target = in_place ? source.get() : dest.get();
    weft::coll::wait(weft::coll::start_reduce(*team, {target, source.get(), count, sizeof(Run), join, true}));
    const auto* got = static_cast<const Run*>(target);
    const auto last = static_cast<std::uint32_t>(team->members.size - 1);
    for (std::size_t k = 0; k < count; ++k) {
      CHECK(got[k].first == 0 && got[k].last == last, "run %zu is %u to %u, not 0 to %u", k, got[k].first, got[k].last,
            last);
    }
    weft::coll::destroy_team(*team);
  }
}

struct Call {
  Team* team;
  const std::uint64_t* sum;
  Ongoing* request;
};

// Calls of teams that find no station: each waits its turn, in whatever order members start and await them.
void more_than_stations() {
  constexpr std::size_t kMore = weft::boot::kPendingSlots + 50;
  constexpr std::size_t kTeams = weft::boot::kTeamSlots + kMore;
  std::vector<int> pes(static_cast<std::size_t>(n_pes()));
  std::iota(pes.rbegin(), pes.rend(), 0);
  const Room source(Reached::kSymmetric, kTeams * 8);
  const Room dest(Reached::kSymmetric, kTeams * 8);
  std::vector<Call> calls;
  for (std::size_t k = 0; k < kTeams; ++k) {
    Team* team = team_of(pes, k);
    const std::uint64_t mine = k * 100 + static_cast<unsigned>(team->me);
    std::memcpy(source.get() + 8 * k, &mine, sizeof mine);
    calls.push_back({team, reinterpret_cast<const std::uint64_t*>(dest.get() + 8 * k), nullptr});
  }
  weft::coll::barrier();
  const auto start = [&](std::size_t k) {
    calls[k].request = weft::coll::start_reduce(*calls[k].team, {dest.get() + 8 * k, source.get() + 8 * k, 1, 8, add});
  };
  for (int round = 0; round < 3; ++round) {
    // Each begins with another one.
    const std::size_t first = static_cast<std::size_t>(me()) * 211;
    for (std::size_t k = 0; k < kTeams; ++k) start((first + k) % kTeams);
    if (round == 1) weft::coll::team_barrier(*calls[kTeams - 1].team);
    for (std::size_t k = kTeams; k > 0; --k) weft::coll::wait(calls[k - 1].request);
    const auto n = static_cast<std::uint64_t>(n_pes());
    for (std::size_t k = 0; k < kTeams; ++k) {
      CHECK(*calls[k].sum == n * k * 100 + n * (n - 1) / 2, "sum %zu is %lu", k,
            static_cast<unsigned long>(*calls[k].sum));
    }
    weft::coll::barrier();
  }
  for (const Call& call : calls) weft::coll::destroy_team(*call.team);
}

}  // namespace

void pending() {
  not_waited_for();
  in_order();
  more_than_stations();
}

}  // namespace forms
