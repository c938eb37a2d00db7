#include "coll/split.hpp"

#include <algorithm>

#include "base/report.hpp"
#include "coll/barrier.hpp"
#include "coll/request.hpp"
#include "rma/context.hpp"
#include "rma/node.hpp"
#include "rma/shared_area.hpp"

namespace weft::coll {
namespace {

using rma::Members;
using rma::SplitWords;
using rma::Team;

// What became of a member's part of a new team.
enum class Outcome : std::uint64_t { kNone, kMade, kSlotGone, kNoSlot, kNoMemory };

SplitWords& words_of(int slot, int pe) noexcept { return rma::station(rma::node().job, slot, pe).split; }

void show_taken_slots(const Team& parent) noexcept {
  SplitWords& mine = words_of(parent.slot, rma::node().me);
  for (std::size_t k = 0; k < mine.taken.size(); ++k) {
    // Relaxed here and below: a barrier of the parent lies between what is shown and what is read.
    mine.taken[k].store(rma::taken_slots(static_cast<int>(k)), std::memory_order_relaxed);
  }
}

// The slot that all members choose alike: the first from `begin` on that none of them has taken. -1 when there is none.
int find_slot(const Team& parent, const Members& members, int begin) noexcept {
  constexpr int kWords = boot::kTeamSlots / 64;
  for (int k = 0; k <= kWords; ++k) {
    const int word = (begin / 64 + k) % kWords;
    std::uint64_t taken = 0;
    for (int member = 0; member < members.size; ++member) {
      taken |= words_of(parent.slot, members.pe(member))
                   .taken[static_cast<std::size_t>(word)]
                   .load(std::memory_order_relaxed);
    }
    if (k == 0) {
      taken |= (std::uint64_t{1} << (begin % 64)) - 1;  // those come last
    }
    if (~taken != 0) {
      return word * 64 + __builtin_ctzll(~taken);
    }
  }
  return -1;
}

// Threads of a PE may split different teams at the same time. When they begin to look in different places they do not
// get in each other's way; when they do all the same, one of them has to look again.
int where_to_look(const Team& parent, std::uint32_t attempt) noexcept {
  return attempt == 0 ? 0
                      : static_cast<int>((static_cast<std::uint32_t>(parent.slot) * 37 + attempt * 101) %
                                         static_cast<std::uint32_t>(boot::kTeamSlots));
}

struct Proposal {
  Outcome outcome = Outcome::kNone;
  int slot = -1;
  Team* team = nullptr;
};

Proposal propose(const Team& parent, const Members& members, std::uint32_t attempt) noexcept {
  if (members.size == 0) {
    return {};
  }
  const int slot = find_slot(parent, members, where_to_look(parent, attempt));
  if (slot < 0) {
    return {Outcome::kNoSlot};
  }
  if (!rma::take_slot(slot)) {
    return {Outcome::kSlotGone};
  }
  rma::clear_steps(slot);
  Team* team = rma::new_team();
  return {team == nullptr ? Outcome::kNoMemory : Outcome::kMade, slot, team};
}

void withdraw(const Proposal& proposal) noexcept {
  if (proposal.team != nullptr) {
    rma::drop_team(*proposal.team);
  }
  if (proposal.slot >= 0) {
    rma::give_slot_back(proposal.slot);
  }
}

// How many barriers this member's station of the new slot has seen already goes beside the outcome.
void show(const Team& parent, const Proposal& proposal) noexcept {
  SplitWords& mine = words_of(parent.slot, rma::node().me);
  if (proposal.slot >= 0) {
    const SplitWords& left = words_of(proposal.slot, rma::node().me);
    mine.new_episode.store(left.episode.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  mine.outcome.store(static_cast<std::uint64_t>(proposal.outcome), std::memory_order_relaxed);
}

// The worst that became of any member of the parent, in a team of its own or not: the answer must be everybody's.
Outcome worst(const Team& parent) noexcept {
  std::uint64_t worst = 0;
  for (int member = 0; member < parent.members.size; ++member) {
    worst = std::max(worst, words_of(parent.slot, parent.members.pe(member)).outcome.load(std::memory_order_relaxed));
  }
  return static_cast<Outcome>(worst);
}

// Barriers are counted on from where the member that has counted furthest is, so no word of any station lies ahead.
void set_up(const Team& parent, const Members& members, const Proposal& proposal) noexcept {
  std::uint64_t episode = 0;
  for (int member = 0; member < members.size; ++member) {
    const SplitWords& words = words_of(parent.slot, members.pe(member));
    episode = std::max(episode, words.new_episode.load(std::memory_order_relaxed));
  }
  rma::set_up_team(*proposal.team, members, proposal.slot, episode);
}

}  // namespace

bool make_teams(Team& parent, const Members& members, Team** made) noexcept {
  *made = nullptr;
  for (std::uint32_t attempt = 0;; ++attempt) {
    show_taken_slots(parent);
    team_barrier(parent);
    const Proposal proposal = propose(parent, members, attempt);
    show(parent, proposal);
    team_barrier(parent);
    const Outcome outcome = worst(parent);
    if (outcome == Outcome::kNone || outcome == Outcome::kMade) {
      if (proposal.team != nullptr) {
        set_up(parent, members, proposal);
        *made = proposal.team;
      }
      return true;
    }
    withdraw(proposal);
    if (outcome != Outcome::kSlotGone) {
      base::debug("%s: %s", rma::current_call(),
                  outcome == Outcome::kNoSlot
                      ? "no place is free on all its PEs; a PE has places for 1024 teams at a time"
                      : "a PE has no memory for another team");
      return false;
    }
  }
}

void destroy_team(Team& team) noexcept {
  if (const int left = unfinished(team); left > 0) [[unlikely]] {
    base::fail(rma::current_call(), "%d non-blocking calls of the team are unfinished; wait for them first", left);
  }
  rma::destroy_contexts_of(team);
  team_barrier(team);
  rma::delete_team(team);
}

void discard_team(Team& team) noexcept { rma::delete_team(team); }

}  // namespace weft::coll
