// What this PE tells people of the calls that the members of a team make together (job/notes.hpp).
#pragma once

#include "group/team.hpp"
#include "job/notes.hpp"

namespace weft::group {

/// For the records of waits, where the members have no stride.
inline const int* told_pes(const Members& members) noexcept {
  return members.table == nullptr ? nullptr : members.table->sorted();
}

/// By which they know the team: a number below boot::kTeamSlots that is the same on all members.
inline std::uint32_t told_slot(const Team& team) noexcept {
  constexpr std::uint64_t kOthers = boot::kTeamSlots - kPredefinedTeams;
  const std::uint64_t number = team.id & ((std::uint64_t{1} << kIdNumberBits) - 1);
  const std::uint64_t other = kPredefinedTeams + (number + (team.id >> kIdNumberBits) * 31) % kOthers;
  return static_cast<std::uint32_t>(is_predefined(team) ? number : other);
}

/// One more blocking collective call of the team.
inline void count_call(Team& team) noexcept {
  ++team.calls;
  if (team.slot == kWorldSlot) {
    // Relaxed, and the low half: for people. In the line that entering the routine has just written.
    job::node().record().collectives.store(static_cast<std::uint32_t>(team.calls), std::memory_order_relaxed);
  }
}

/// Calls are counted from here on.
inline void count_calls_anew() noexcept {
  world().calls = 0;
  job::node().record().collectives.store(0, std::memory_order_relaxed);
}

/// Of a wait at which the members of a team meet; the subject is the Team.
template <boot::Waiting why>
inline constexpr sync::WaitNote::Writer kMeetingNote = {[](const void* subject, std::uint64_t) noexcept {
                                                          const Team& team = *static_cast<const Team*>(subject);
                                                          return job::begin_wait({.why = why,
                                                                                  .start = team.members.start,
                                                                                  .stride = team.members.stride,
                                                                                  .size = team.members.size,
                                                                                  .pes = told_pes(team.members),
                                                                                  .slot = told_slot(team),
                                                                                  .number = team.calls});
                                                        },
                                                        job::looked_in_vain, job::end_wait};

}  // namespace weft::group
