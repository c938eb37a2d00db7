#include "coll/ongoing.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <variant>

#include "coll/across/deferred.hpp"
#include "coll/alltoall/block.hpp"
#include "coll/barrier.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/stations.hpp"
#include "copy/copy.hpp"
#include "group/notes.hpp"

namespace weft::coll {

struct Barrier {};
using Call = std::variant<Barrier, Broadcast, Alltoall, Reduce>;

struct Ongoing : group::PendingCall {  // next: of its team's, or of the spare ones
  std::uint64_t tag = 0;
  group::Team* team = nullptr;
  std::uint64_t number = 0;      // among those of the team
  int slot = group::kNoStation;  // while it is its turn
  Call call;
  Room room;                                  // until then; the party has it while it is
  std::optional<Party> party;                 // while it is this call's turn
  std::optional<across::Deferred> elsewhere;  // then too, where the members are in several domains
  std::uint32_t posted = 0;                   // the last step of this member
  int awaited = 0;                            // the member whose step is looked at next
  bool complete = false;
  Ongoing* made_before = nullptr;
};

namespace {

constexpr std::uint64_t kRequestTag = 0x7473657571655257;  // "WRequest" of sorts: marks a request that exists

// One lock for all of it, never held while this PE waits: threads that test and wait at the same time take turns.
constinit std::mutex g_mutex;
constinit group::Team* g_busy = nullptr;  // the teams with calls that are not complete
constinit Ongoing* g_spare = nullptr;
constinit Ongoing* g_made = nullptr;  // all there are
// How many are not complete: whoever waits looks here first. Relaxed, as a thread that misses a request started this
// moment looks again.
constinit std::atomic<int> g_count{0};

Ongoing* first_of(const group::Team& team) noexcept { return static_cast<Ongoing*>(team.first_pending); }

void post(Ongoing& request, std::uint32_t step) noexcept {
  request.party->post(step);
  request.posted = step;
  request.awaited = 0;
}

// True when all have come to `step`. Those seen there are not looked at again.
bool all_have_come(Ongoing& request, std::uint32_t step) noexcept {
  for (; request.awaited < request.party->size(); ++request.awaited) {
    if (!request.party->has_come(request.awaited, step)) {
      return false;
    }
  }
  return true;
}

bool advance_span(Ongoing& request) noexcept {
  const auto step = [&](const auto& call) {
    if constexpr (std::is_same_v<decltype(call), const Barrier&>) {
      return request.elsewhere->advance_barrier();
    } else {
      return request.elsewhere->advance(call);
    }
  };
  if (!request.elsewhere) {
    request.elsewhere.emplace(*request.party);
  }
  if (!std::visit(step, request.call)) {
    return false;
  }
  request.elsewhere.reset();
  return true;
}

bool advance(Ongoing& request, const Barrier&) noexcept {
  if (request.posted == 0) {
    post(request, 1);
  }
  return all_have_come(request, 1);
}

bool advance(Ongoing& request, const Broadcast& call) noexcept {
  Party& party = *request.party;
  if (party.me() != call.root) {
    request.awaited = call.root;
    return party.has_come(call.root, 1);
  }
  for (int distance = call.dest == call.source ? 1 : 0; call.bytes > 0 && distance < party.size(); ++distance) {
    copy::copy(party.at(call.dest, party.after(distance)), call.source, call.bytes);
  }
  post(request, 1);
  return true;
}

bool advance(Ongoing& request, const Alltoall& call) noexcept {
  if (request.posted == 0) {
    if (call.count > 0) {
      put_blocks(*request.party, call);
    }
    post(request, 1);
  }
  return all_have_come(request, 1);
}

bool advance(Ongoing& request, const Reduce& call) noexcept {
  if (request.posted == 0) {
    post(request, 1);
  }
  if (request.posted == 1) {
    if (!all_have_come(request, 1)) {
      return false;
    }
    if (call.count > 0) {
      combine_share(*request.party, call);
    }
    post(request, 2);
  }
  return all_have_come(request, 2);
}

// A station that this call alone had. Others may not have seen its last step yet.
void leave(int slot) noexcept {
  const job::Node& node = job::node();
  // Relaxed: this PE's own.
  group::leave_station(slot, group::station(node.job, slot, node.local).pending.step.load(std::memory_order_relaxed));
}

// Caller holds g_mutex, here and below.
bool begin_turn(group::Team& team, Ongoing& request) noexcept {
  const Turn turn = turn_of(team, request.number);
  switch (turn.at) {
    case Turn::At::kNowhere: return false;
    case Turn::At::kTeams: request.party.emplace(team, Party::Kind::kPending); break;
    case Turn::At::kOwn: request.party.emplace(team, turn.slot, turn.base); break;
  }
  request.party->take_over(request.room);
  request.slot = turn.at == Turn::At::kOwn ? turn.slot : team.slot;
  return true;
}

// True when the team has nothing left to do.
bool progress_team(group::Team& team) noexcept {
  while (Ongoing* request = first_of(team)) {
    if (!request->party) {
      if (!begin_turn(team, *request)) [[unlikely]] {
        return false;
      }
    }
    const bool over = team.span != nullptr
                          ? advance_span(*request)
                          : std::visit([&](const auto& call) { return advance(*request, call); }, request->call);
    if (!over) {
      return false;
    }
    request->party.reset();  // the team's count goes on
    if (group::is_for_pending(request->slot)) [[unlikely]] {
      leave(request->slot);
    }
    request->complete = true;
    team.first_pending = request->next;
    g_count.fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

void progress_all() noexcept {
  for (group::Team** link = &g_busy; *link != nullptr;) {
    group::Team& team = **link;
    if (progress_team(team)) {
      *link = team.next_busy;
    } else {
      link = &team.next_busy;
    }
  }
}

void give_back(Ongoing* request) noexcept {
  request->tag = 0;
  request->next = g_spare;
  g_spare = request;
}

void append(group::Team& team, Ongoing* request) noexcept {
  if (team.first_pending == nullptr) {
    team.first_pending = request;
    team.next_busy = g_busy;
    g_busy = &team;
  } else {
    team.last_pending->next = request;
  }
  team.last_pending = request;
  g_count.fetch_add(1, std::memory_order_relaxed);
}

// All that the call may need, whenever its turn comes.
std::size_t need_of(const group::Team& team, const Call& call) noexcept {
  if (const auto* reduce = std::get_if<Reduce>(&call); reduce != nullptr) {
    return team.span != nullptr ? across::Deferred::need(*team.span, *reduce) : Piece::need(reduce->element);
  }
  const auto* alltoall = std::get_if<Alltoall>(&call);
  return alltoall != nullptr && team.span != nullptr && team.seat == 0 ? across::Deferred::need(*team.span, *alltoall)
                                                                       : 0;
}

Ongoing* start(group::Team& team, const Call& call) noexcept {
  Room room;
  if (!room.reserve(need_of(team, call))) {
    return nullptr;
  }
  const std::scoped_lock lock(g_mutex);
  Ongoing* request = g_spare;
  if (request != nullptr) {
    g_spare = static_cast<Ongoing*>(request->next);
  } else if (request = new (std::nothrow) Ongoing; request == nullptr) {
    return nullptr;
  } else {
    request->made_before = g_made;
    g_made = request;
  }
  request->tag = kRequestTag;
  request->team = &team;
  request->number = team.started++;
  request->call = call;
  request->room.swap(room);  // whose was given to a party before, so nothing is left in it
  request->slot = group::kNoStation;
  request->posted = 0;
  request->awaited = 0;
  request->complete = false;
  request->next = nullptr;
  append(team, request);
  progress_all();
  return request;
}

// Waits until done(), called with g_mutex held, is true. It is not yet, so the team has a first call that waits for
// somebody, whose bell wakes this PE. Naps are short while calls are under way, so it matters little that another
// member may be the next to be waited for.
template <class Done>
void wait_for(const group::Team& team, Done&& done) noexcept {
  int member = 0;
  int slot = group::kNoStation;
  {
    const std::scoped_lock lock(g_mutex);
    progress_all();
    if (done()) {
      return;
    }
    member = first_of(team)->awaited;
    slot = first_of(team)->slot;
  }
  // One that has no station yet waits for the leader.
  const int local = team.here.place(slot < 0 ? 0 : member);
  sync::wait(patience(), group::station(job::node().job, std::max(slot, 0), local).bell, nullptr,
             sync::WaitNote(group::kMeetingNote<boot::Waiting::kTeam>, &team), [&] {
               const std::scoped_lock lock(g_mutex);
               progress_all();
               return done();
             });
}

}  // namespace

Ongoing* start_barrier(group::Team& team) noexcept { return start(team, Barrier{}); }
Ongoing* start_broadcast(group::Team& team, const Broadcast& call) noexcept { return start(team, call); }
Ongoing* start_alltoall(group::Team& team, const Alltoall& call) noexcept { return start(team, call); }
Ongoing* start_reduce(group::Team& team, const Reduce& call) noexcept { return start(team, call); }

bool exists(const Ongoing* request) noexcept {
  const std::scoped_lock lock(g_mutex);
  return request->tag == kRequestTag;
}

bool test(Ongoing* request) noexcept {
  const std::scoped_lock lock(g_mutex);
  progress_all();
  if (!request->complete) {
    return false;
  }
  give_back(request);
  return true;
}

void wait(Ongoing* request) noexcept {
  wait_for(*request->team, [&] { return request->complete; });
  const std::scoped_lock lock(g_mutex);
  give_back(request);
}

bool progress() noexcept {
  if (g_count.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  // Another thread that is at it does this thread's work too.
  if (const std::unique_lock lock(g_mutex, std::try_to_lock); lock.owns_lock()) {
    progress_all();
  }
  return g_count.load(std::memory_order_relaxed) != 0;
}

int unfinished(const group::Team& team) noexcept {
  // Relaxed: what this PE has begun on the team, its threads know of before one of them asks.
  if (g_count.load(std::memory_order_relaxed) == 0) {
    return 0;
  }
  const std::scoped_lock lock(g_mutex);
  int count = 0;
  for (const group::PendingCall* call = team.first_pending; call != nullptr; call = call->next) {
    ++count;
  }
  return count;
}

void finish_requests() noexcept {
  for (;;) {
    const group::Team* team = nullptr;
    {
      const std::scoped_lock lock(g_mutex);
      team = g_busy;
      if (team == nullptr) {
        break;
      }
    }
    wait_for(*team, [&] { return team->first_pending == nullptr; });
  }
  // Those that nobody will test or wait for any more.
  const std::scoped_lock lock(g_mutex);
  for (Ongoing* request = g_made; request != nullptr; request = request->made_before) {
    if (request->tag == kRequestTag) {
      give_back(request);
    }
  }
}

}  // namespace weft::coll
