#include "coll/split.hpp"

#include <algorithm>
#include <array>

#include "base/report.hpp"
#include "coll/barrier.hpp"
#include "coll/request.hpp"
#include "coll/span/span.hpp"
#include "coll/span/speakers.hpp"
#include "group/notes.hpp"
#include "group/stations.hpp"
#include "job/node.hpp"

namespace weft::coll {
namespace {

using group::Members;
using group::SplitWords;
using group::Team;

// What became of a member's part of a new team.
enum class Outcome : std::uint64_t { kNone, kMade, kSlotGone, kNoSlot, kNoMemory };

// Of a PE of this node.
SplitWords& words_of(int slot, int local) noexcept { return group::station(job::node().job, slot, local).split; }
SplitWords& own_words(int slot) noexcept { return words_of(slot, job::node().local); }

std::atomic<std::uint64_t>& taken_word(const Team& parent, const group::Domain& domain, int seat, int word) noexcept {
  return words_of(parent.slot, domain.place(seat)).taken[static_cast<std::size_t>(word)];
}

void show_taken_slots(const Team& parent) noexcept {
  SplitWords& mine = own_words(parent.slot);
  for (std::size_t k = 0; k < mine.taken.size(); ++k) {
    // Relaxed here and below: a barrier of the parent lies between what is shown and what is read.
    mine.taken[k].store(group::taken_slots(static_cast<int>(k)), std::memory_order_relaxed);
  }
}

constexpr int kTakenWords = boot::kTeamSlots / 64;

// What the members of the new team that are in this PE's domain show.
std::uint64_t taken_here(const Team& parent, const group::Domain& here, int word) noexcept {
  std::uint64_t taken = 0;
  for (int seat = 0; seat < here.size; ++seat) {
    taken |= taken_word(parent, here, seat, word).load(std::memory_order_relaxed);
  }
  return taken;
}

// Where the parent's members are on several nodes: each leader of a domain of the new team shows what is taken by any
// of its members, wherever they are.
void show_taken_anywhere(Team& parent, const group::Seats& seats) noexcept {
  if (seats.span != nullptr && seats.seat == 0) {
    std::array<std::uint64_t, kTakenWords> taken{};
    for (int word = 0; word < kTakenWords; ++word) {
      taken[static_cast<std::size_t>(word)] = taken_here(parent, seats.here, word);
    }
    span::Messages messages(*job::node().network, Group::tag_of(parent),
                            sync::WaitNote(group::kMeetingNote<boot::Waiting::kTeam>, &parent));
    span::combine_all(span::Speakers(*seats.span), messages, taken.data(),
                      {taken.size(), sizeof taken[0], span::united_words});
    for (int word = 0; word < kTakenWords; ++word) {
      taken_word(parent, seats.here, 0, word).store(taken[static_cast<std::size_t>(word)], std::memory_order_relaxed);
    }
  }
  team_barrier(parent);
}

// The slot that all members choose alike: the first from `begin` on that none of them has taken. -1 when there is none.
int find_slot(const Team& parent, const group::Seats& seats, int begin) noexcept {
  for (int k = 0; k <= kTakenWords; ++k) {
    const int word = (begin / 64 + k) % kTakenWords;
    std::uint64_t taken = seats.span == nullptr
                              ? taken_here(parent, seats.here, word)
                              : taken_word(parent, seats.here, 0, word).load(std::memory_order_relaxed);
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

Proposal propose(const Team& parent, const group::Seats& seats, std::uint32_t attempt) noexcept {
  if (seats.here.size == 0) {
    return {};
  }
  const int slot = find_slot(parent, seats, where_to_look(parent, attempt));
  if (slot < 0) {
    return {Outcome::kNoSlot};
  }
  if (!group::take_slot(slot)) {
    return {Outcome::kSlotGone};
  }
  group::clear_steps(slot);
  Team* team = group::new_team();
  return {team == nullptr ? Outcome::kNoMemory : Outcome::kMade, slot, team};
}

void withdraw(const Proposal& proposal) noexcept {
  if (proposal.team != nullptr) {
    group::drop_team(*proposal.team);
  }
  if (proposal.slot >= 0) {
    group::give_slot_back(proposal.slot);
  }
}

// How many barriers this member's station of the new slot has seen already goes beside the outcome.
void show(const Team& parent, const Proposal& proposal) noexcept {
  SplitWords& mine = own_words(parent.slot);
  if (proposal.slot >= 0) {
    const SplitWords& left = own_words(proposal.slot);
    mine.new_episode.store(left.episode.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  mine.outcome.store(static_cast<std::uint64_t>(proposal.outcome), std::memory_order_relaxed);
}

// The worst that became of any member of the parent, in a team of its own or not: the answer must be everybody's. All
// have shown what became of theirs before any of them returns from this.
Outcome worst(Team& parent) noexcept {
  std::uint64_t worst = own_words(parent.slot).outcome.load(std::memory_order_relaxed);
  if (parent.span != nullptr) {
    Group group(parent);
    span::combine_words(group, &worst, 1, span::larger_words);
    return static_cast<Outcome>(worst);
  }
  team_barrier(parent);
  for (int seat = 0; seat < parent.here.size; ++seat) {
    const int local = parent.here.place(seat);
    worst = std::max(worst, words_of(parent.slot, local).outcome.load(std::memory_order_relaxed));
  }
  return static_cast<Outcome>(worst);
}

// Barriers are counted on from where the member that has counted furthest is, so no word of any station lies ahead.
void set_up(const Team& parent, const Members& members, const group::Seats& seats, const Proposal& proposal) noexcept {
  std::uint64_t episode = 0;
  for (int seat = 0; seat < seats.here.size; ++seat) {
    const SplitWords& words = words_of(parent.slot, seats.here.place(seat));
    episode = std::max(episode, words.new_episode.load(std::memory_order_relaxed));
  }
  group::set_up_team(*proposal.team, members, seats, proposal.slot, episode);
  proposal.team->by_processor = parent.by_processor;
}

}  // namespace

bool make_teams(Team& parent, const Members& members, Team** made) noexcept {
  *made = nullptr;
  const group::Seats seats = members.size == 0 ? group::Seats{} : group::seats_of(members);
  for (std::uint32_t attempt = 0;; ++attempt) {
    show_taken_slots(parent);
    team_barrier(parent);
    if (parent.span != nullptr) {
      show_taken_anywhere(parent, seats);
    }
    const Proposal proposal = propose(parent, seats, attempt);
    show(parent, proposal);
    const Outcome outcome = worst(parent);
    if (outcome == Outcome::kNone || outcome == Outcome::kMade) {
      if (proposal.team != nullptr) {
        set_up(parent, members, seats, proposal);
        *made = proposal.team;
      }
      return true;
    }
    withdraw(proposal);
    if (outcome != Outcome::kSlotGone) {
      group::delete_seats(seats.span, seats.tables);
    }
    if (outcome != Outcome::kSlotGone) {
      base::debug("%s: %s", job::current_call(),
                  outcome == Outcome::kNoSlot
                      ? "no place is free on all its PEs; a PE has places for 1024 teams at a time"
                      : "a PE has no memory for another team");
      return false;
    }
  }
}

void destroy_team(Team& team) noexcept {
  team_barrier(team);
  group::delete_team(team);
}

void discard_team(Team& team) noexcept { group::delete_team(team); }

}  // namespace weft::coll
