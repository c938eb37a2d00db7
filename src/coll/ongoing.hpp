// Non-blocking collectives over teams (an extension: shmemx.h).
//
// The calls of a team run one after another in the order in which they were started, which is the same on all members;
// what each has to do at a time is done while this PE is in the library: when it starts, tests or waits for a request,
// and whenever it waits for something else. A call whose team finds no station waits its turn, in its team's queue.
#pragma once

#include "coll/collectives.hpp"
#include "group/team.hpp"

namespace weft::coll {

/// A call that was started and has not been found complete by test() or wait().
struct Ongoing;

/// Each starts a call and does as much of it as can be done at once. Null without memory.
Ongoing* start_barrier(group::Team& team) noexcept;
Ongoing* start_broadcast(group::Team& team, const Broadcast& call) noexcept;
Ongoing* start_alltoall(group::Team& team, const Alltoall& call) noexcept;
Ongoing* start_reduce(group::Team& team, const Reduce& call) noexcept;

/// False: it was completed already or never started. One that is gone may seem to exist when its object serves another
/// call.
bool exists(const Ongoing* request) noexcept;
/// True when the call is complete: then the request, which exists, is gone.
bool test(Ongoing* request) noexcept;
void wait(Ongoing* request) noexcept;

/// Does what can be done for all calls that are under way. True while some are. A load where there are none.
bool progress() noexcept;

/// Calls of this team that are not complete.
int unfinished(const group::Team& team) noexcept;
/// Last finalize: completes all of them, as all members do.
void finish_requests() noexcept;

}  // namespace weft::coll
