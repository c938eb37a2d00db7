#include "coll/split.hpp"

#include <algorithm>

#include "base/lines.hpp"
#include "coll/across/span.hpp"
#include "coll/across/speakers.hpp"
#include "coll/barrier.hpp"
#include "coll/ongoing.hpp"
#include "coll/stations.hpp"
#include "coll/tags.hpp"
#include "group/notes.hpp"
#include "group/stations.hpp"
#include "job/node.hpp"

namespace weft::coll {
namespace {

using group::Members;
using group::Team;

// What became of a member's part of a new team.
enum class Outcome : std::uint64_t { kNone, kMade, kNoStation, kNoId, kNoMemory };

struct Proposal {
  Outcome outcome = Outcome::kNone;
  Team* team = nullptr;
  int slot = -1;  // the leader's, who need not look for it
};

across::Messages messages_in(const Team& team, transport::Tag tag) noexcept {
  return across::Messages(transport::tagged(), tag, sync::WaitNote(group::kMeetingNote<boot::Waiting::kTeam>, &team));
}

// The leader of the first domain, whose members include the first.
bool gives_id(const group::Seats& seats) noexcept {
  return seats.seat == 0 && (seats.span == nullptr || seats.span->mine == 0);
}

// The leaders of all domains learn the id from the one who gives it.
std::uint64_t told_id(const group::Seats& seats, std::uint64_t id, const Team& waits, transport::Tag tag) noexcept {
  if (seats.span != nullptr) {
    const across::Speakers speakers(*seats.span);
    across::Messages messages = messages_in(waits, tag);
    across::hear(speakers, messages, 0, &id, sizeof id);
    messages.wait();
    across::pass_on(speakers, messages, 0, &id, sizeof id);
  }
  return id;
}

// The leader of each domain of the new team finds a station for it, and all room for their side of it.
Proposal propose(const Team& parent, const group::Seats& seats, const group::Name& name) noexcept {
  if (seats.here.size == 0) {
    return {};
  }
  std::uint64_t id = 0;
  Proposal proposal{Outcome::kMade, group::new_team(gives_id(seats) ? &id : nullptr)};
  if (seats.seat == 0) {
    id = told_id(seats, id, parent, Party::tag_of(parent));
    proposal.slot = group::claim_station(seats.here, group::Use::kTeam);
    if (proposal.slot >= 0) {
      group::serve(seats.here, proposal.slot, name, id);
    }
    proposal.outcome = proposal.slot < 0 ? Outcome::kNoStation : id == 0 ? Outcome::kNoId : Outcome::kMade;
  }
  if (proposal.team == nullptr) {
    proposal.outcome = Outcome::kNoMemory;
  }
  return proposal;
}

// The worst that became of any member of the parent, in a team of its own or not: the answer must be everybody's. All
// have done their part before any of them returns from this.
Outcome worst(Team& parent, Outcome mine) noexcept {
  auto worst = static_cast<std::uint64_t>(mine);
  Party party(parent);
  if (party.span() != nullptr) {
    across::combine_words(party, &worst, 1, across::larger_words);
    return static_cast<Outcome>(worst);
  }
  // Relaxed: the exchange publishes it.
  party.to_show()[0].store(worst, std::memory_order_relaxed);
  party.exchange();
  for (int member = 0; member < party.size(); ++member) {
    worst = std::max(worst, party.shown(member)[0].load(std::memory_order_relaxed));
  }
  return static_cast<Outcome>(worst);
}

void withdraw(const Proposal& proposal, const group::Seats& seats, const group::Name& name) noexcept {
  if (proposal.team != nullptr) {
    group::drop_team(*proposal.team);
  }
  if (const int slot = seats.here.size > 0 ? group::served(name) : -1; slot >= 0) {
    group::leave_station(slot, group::accept(slot).episode);
  }
  group::delete_seats(seats.span, seats.tables);
}

const char* reason(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kNoStation: return "no place is free on all its PEs; a PE has places for 1024 teams at a time";
    case Outcome::kNoId: return "its first PE is the first of too many teams";
    default: return "a PE has no memory for another team";
  }
}

std::uint64_t mixed(std::uint64_t word, std::uint64_t more) noexcept {
  word = (word ^ word >> 31) * 0x9e3779b97f4a7c15 + more;
  word = (word ^ word >> 27) * 0xbf58476d1ce4e5b9;
  return word ^ word >> 29;
}

// Of the members and the tag, in 64 bits; messages are told apart by fewer, with the parent's id. Two teams with the
// same result, made at a time by threads of a common pair of leaders, would be mixed up: nobody will live to see it.
std::uint64_t mixed(const Members& members, std::uint64_t tag) noexcept {
  std::uint64_t word = mixed(tag, static_cast<std::uint64_t>(members.size));
  for (int member = 0; member < members.size; ++member) {
    word = mixed(word, static_cast<std::uint64_t>(members.pe(member)));
  }
  return word;
}

// A station is where the members of a domain hear of the id; they leave it at once.
std::uint64_t id_by_station(const group::Seats& seats, const Team& waits, const group::Name& name,
                            std::uint64_t id) noexcept {
  const sync::WaitNote note(group::kMeetingNote<boot::Waiting::kTeam>, &waits);
  if (seats.seat == 0) {
    int slot = group::claim_station(seats.here, group::Use::kTeam);
    const auto claimed = [&] {
      slot = slot < 0 ? group::claim_station(seats.here, group::Use::kOneCall) : slot;
      return slot >= 0;
    };
    if (!claimed()) {
      // Nobody rings when a spare one becomes free: that is after a call, and naps are short against looking on.
      sync::wait(patience(), group::station(job::node().job, group::kWorldSlot, job::node().local).bell, nullptr, note,
                 claimed);
    }
    group::serve(seats.here, slot, name, id);
    tell_of_station();
  }
  const int slot = await_station(name, seats.here.local, note);
  const group::Served served = group::accept(slot);
  group::leave_station(slot, served.episode);
  return served.id;
}

}  // namespace

bool make_teams(Team& parent, const Members& members, boot::Interface owner, Team** made) noexcept {
  *made = nullptr;
  const StationHold hold(parent);
  const group::Name name = name_of(Serving::kSplit, parent.id, ++parent.made);
  group::Seats seats;
  const bool seated = members.size == 0 || group::seats_of(members, &seats);
  Proposal proposal{seated ? Outcome::kNone : Outcome::kNoMemory};
  // What any member has ended before is free when leaders look.
  team_barrier(parent);
  // Who has no seats does not know whom to tell the id, so all have to have some before leaders wait for it.
  Outcome outcome = parent.span == nullptr ? Outcome::kNone : worst(parent, proposal.outcome);
  if (outcome == Outcome::kNone) {
    proposal = propose(parent, seats, name);
    outcome = worst(parent, proposal.outcome);
  }
  if (outcome != Outcome::kNone && outcome != Outcome::kMade) {
    withdraw(proposal, seats, name);
    base::debug("%s: %s", job::current_call(), reason(outcome));
    return false;
  }
  if (Team* team = proposal.team; team != nullptr) {
    const int slot = proposal.slot >= 0 ? proposal.slot : group::served(name);
    const group::Served served = group::accept(slot);
    group::set_up_team(*team, members, seats, served.id, owner);
    group::use_station(*team, slot, served.episode);
    team->by_processor = parent.by_processor;
    *made = team;
  }
  return true;
}

Making make_team_of(const Members& members, std::uint64_t parent, std::uint64_t tag, boot::Interface owner,
                    Team** made) noexcept {
  *made = nullptr;
  const group::Name name = name_of(Serving::kMaking, parent, mixed(members, tag));
  // Until it is known: an id that no team has, for people who ask what this PE waits for.
  Team* const team = group::new_team_of(members, group::id_of(members.pe(0), group::kPredefinedTeams), owner);
  if (team == nullptr) [[unlikely]] {
    return Making::kNoMemory;
  }
  team->on_demand = true;
  const group::Seats seats{team->here, team->seat, team->span, team->tables};
  std::uint64_t id = gives_id(seats) ? group::new_id() : 0;
  if (seats.seat == 0) {
    id = told_id(seats, id, *team, named(Named::kMaking, mixed(name.what, name.which)));
  }
  if (seats.here.size > 1) {
    id = id_by_station(seats, *team, name, id);
  }
  if (id == 0) [[unlikely]] {
    group::delete_team(*team);
    return Making::kTooMany;
  }
  team->id = id;
  *made = team;
  return Making::kDone;
}

void destroy_team(Team& team) noexcept {
  team_barrier(team);
  group::delete_team(team);
}

void discard_team(Team& team) noexcept { group::delete_team(team); }

}  // namespace weft::coll
