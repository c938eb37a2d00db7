#include "coll/party.hpp"

#include <new>

#include "coll/barrier.hpp"
#include "coll/ongoing.hpp"
#include "coll/stations.hpp"
#include "coll/tags.hpp"
#include "group/notes.hpp"
#include "sync/uncrowded.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kLine = 64;
static_assert(sizeof(ActiveSetWords) + kLine - sizeof(std::uint32_t) == kPsyncBytes,
              "an array that is aligned to four bytes, as in Fortran programs, has room");

bool reached(const std::atomic<std::uint64_t>& word, std::uint64_t step) noexcept {
  // Acquire: what its owner did before it came there is visible.
  return static_cast<std::int64_t>(word.load(std::memory_order_acquire) - step) >= 0;
}

std::uintptr_t line_of(const void* psync) noexcept {
  return (reinterpret_cast<std::uintptr_t>(psync) + kLine - 1) / kLine * kLine;
}

}  // namespace

bool Party::is_free(const void* psync) noexcept {
  return reinterpret_cast<const ActiveSetWords*>(line_of(psync))->meeting.step.load(std::memory_order_relaxed) == 0;
}

Party::Party(group::Team& team, Kind kind) noexcept : members_(team.members), number_(team.me) {
  use_stations(team, kind);
}

void Party::use(const group::Domain& here, int seat, const group::Span* span) noexcept {
  me_ = seat;
  size_ = here.size;
  span_ = span;
  places_ = here.locals;
  if (places_ == nullptr) [[likely]] {
    local_ = here.local;
    local_step_ = here.local_step;
  }
}

// Each call of a team comes here.
[[gnu::always_inline]] inline void Party::use_station(group::Team& team, Kind kind, int slot) noexcept {
  use(team.here, team.seat, team.span);
  group::Station& first = group::station(job::node().job, slot, local_);
  meetings_ = reinterpret_cast<std::byte*>(kind == Kind::kBlocking ? &first.meeting : &first.pending);
  bells_ = reinterpret_cast<std::byte*>(&first.bell);
  meeting_stride_ = bell_stride_ = local_step_ * static_cast<std::ptrdiff_t>(boot::kStationBytes);
}

void Party::use_stations(group::Team& team, Kind kind) noexcept {
  team_ = &team;
  counter_ = kind == Kind::kBlocking ? &team.step : &team.pending_step;
  if (kind == Kind::kBlocking) {
    group::count_call(team);
    (void)progress();  // the root of broadcasts may wait for nobody, call after call, and others for its part of these
  }
  if (team.slot < 0) [[unlikely]] {
    need_station(team);
  }
  base_ = *counter_;
  use_station(team, kind, team.slot);
}

Party::Party(group::Team& team, int slot, std::uint64_t base) noexcept
    : members_(team.members), number_(team.me), base_(base), team_(&team), counter_(&own_count_) {
  use_station(team, Kind::kPending, slot);
}

Party::Party(const group::Members& members, void* psync) noexcept
    : members_(members), number_(members.find(job::node().me)) {
  const job::Node& node = job::node();
  // All members' arrays are alike aligned: heaps agree modulo far more than a line, static data modulo a page.
  const std::uintptr_t aligned = line_of(psync);
  if (group::Team* const all = team_of_set(members, psync); all != nullptr) {
    use_stations(*all, Kind::kBlocking);
    return;
  }
  group::Seats seats;
  if (!group::seats_of(members, &seats)) [[unlikely]] {
    room_.lack(static_cast<std::size_t>(members.size) * sizeof(group::Domain));
    return;
  }
  use(seats.here, seats.seat, seats.span);
  tables_ = seats.tables;
  owns_ = span_ != nullptr || tables_ != nullptr;
  psync_ = psync;
  const auto step = static_cast<std::ptrdiff_t>(node.space.stride()) * local_step_;
  // This PE's too as its peers see it: so that members' arrays are evenly spaced.
  auto* first = reinterpret_cast<ActiveSetWords*>(node.space.peer(aligned, local_));
  meetings_ = reinterpret_cast<std::byte*>(&first->meeting);
  meeting_stride_ = step;
  bells_ = reinterpret_cast<std::byte*>(&job::shared_pe(node.job, local_).active_set_bell);
  bell_stride_ = local_step_ * static_cast<std::ptrdiff_t>(boot::kSyncBytesPerPe);
  new (&transient_)
      sync::TransientBarrier({reinterpret_cast<std::byte*>(&first->flags), step, bells_, bell_stride_, places_}, me_,
                             size_, node.barrier_kind);
}

int Party::begin_wait(const void* party, std::uint64_t /*detail*/) noexcept {
  const Party& call = *static_cast<const Party*>(party);
  return tell_wait(call.members_, call.team_, call.bytes_, call.root_);
}

int Party::tell_wait(const group::Members& members, const group::Team* team, std::size_t bytes, int root) noexcept {
  const bool active_set = team == nullptr || team->id == group::set_of_all().id;
  // Of calls with an array each array has a count of its own, and nobody is told which one it is.
  const bool is_counted = team != nullptr && (!active_set || job::node().sets_in_order);
  return job::begin_wait({.why = boot::Waiting::kTeam,
                          .elements = bytes,
                          .start = members.start,
                          .stride = members.stride,
                          .size = members.size,
                          .pes = group::told_pes(members),
                          .slot = active_set ? boot::kNoSlot : group::told_slot(*team),
                          .number = is_counted ? team->calls : 0,
                          .root = root});
}

sync::WaitNote Party::note() const noexcept {
  static constexpr sync::WaitNote::Writer kNote = {begin_wait, job::looked_in_vain, job::end_wait};
  return {kNote, this};
}

// A team has its messages in the name of its id, which no other team has that exists; its members make their calls and
// end the team in one order. A set has them in the name of its pSync, which no two calls have at a time.
transport::Tag Party::tag_of(const group::Team& team, Kind kind) noexcept {
  return named(kind == Kind::kBlocking ? Named::kTeam : Named::kPending, team.id);
}

transport::Tag Party::tag() const noexcept {
  if (team_ != nullptr) {
    return tag_of(*team_, counter_ == &team_->step ? Kind::kBlocking : Kind::kPending);
  }
  const memory::Space& space = job::node().space;
  const auto at = reinterpret_cast<std::uintptr_t>(psync_);
  return space.heap().holds(at) ? named(Named::kSetOnHeap, at - space.heap().lo)
                                : named(Named::kSetInStatics, at - space.statics().lo);
}

// Each call comes here.
[[gnu::always_inline]] inline void Party::count_on() noexcept {
  base_ += kStepsPerCall;
  if (shows_count(base_) && team_ != nullptr) [[unlikely]] {
    show_count();
  }
}

void Party::next_stage() noexcept { count_on(); }

// Steps that were shown long ago would come to lie ahead, so they are shown anew. Of what this member has handed out
// some may still be taken by others, whose step is one before.
void Party::show_count() noexcept {
  // Release: who still waits for a step of this call finds this one and what this member did before.
  meeting(me_).step.store(base_, std::memory_order_release);
  for (auto& shown : meeting(me_).shown) {
    shown.step.store(base_, std::memory_order_release);
  }
  if (counter_ == &team_->step) {
    group::Station& mine = group::station(job::node().job, team_->slot, local(me_));
    for (auto& handout : mine.handouts) {
      handout.step.store(base_, std::memory_order_release);
    }
    for (auto& turn : mine.further) {
      for (auto& shown : turn) {
        shown.step.store(base_, std::memory_order_release);
      }
    }
    team_->streamed_at.fill(base_);
    // Not yet known of anybody.
    team_->all_came_to = base_ - 1;
  }
}

bool Party::reserve(std::size_t needed) noexcept {
  if (room_.reserve(needed)) [[likely]] {
    owns_ = true;
    return true;
  }
  if (team_ != nullptr) {
    // The team's count stays, and its station: the call is still to come.
    if (counter_ == &team_->step) {
      --team_->calls;
    }
    counter_ = &own_count_;
    base_ -= kStepsPerCall;
  }
  return false;
}

void Party::finish() noexcept {
  if (team_ != nullptr) {
    count_on();
    *counter_ = base_;
    if (!team_->steady && counter_ != &own_count_) [[unlikely]] {
      end_call(*team_, met_ ? nullptr : this);
    }
  } else {
    finish_set();
  }
  if (owns_) [[unlikely]] {
    give_back();
  }
}

void Party::give_back() noexcept {
  room_.drop();
  if (psync_ != nullptr) {
    group::delete_seats(span_, tables_);
  }
}

void Party::finish_set() noexcept {
  if (meetings_ == nullptr) [[unlikely]] {
    return;
  }
  if (!met_) {
    barrier();
  }
  group::Meeting& mine = meeting(me_);
  // Relaxed: nobody looks any more, and who uses the array next has synchronised with this PE by other means.
  mine.step.store(0, std::memory_order_relaxed);
  for (std::uint32_t line = 0; line < (shows_ > 1 ? 2U : 1U); ++line) {
    mine.shown[line].step.store(0, std::memory_order_relaxed);
    for (auto& word : mine.shown[line].words) {
      word.store(0, std::memory_order_relaxed);
    }
  }
  if (offered_ != kNoOffer) {
    take_station(psync_, offered_);
  }
}

void Party::barrier() noexcept {
  if (team_ != nullptr) {
    meet_here(*team_, note());
  } else {
    meet_set();
  }
  met_ = true;
}

void Party::meet_set() noexcept {
  job::wake_sleepers();
  const bool all_here = members_.size == job::node().n_pes && span_ == nullptr;
  if (!all_here || offered_ != kNoOffer) {
    transient_.arrive_and_wait(patience(), note());
    return;
  }
  offered_ = transient_.arrive_and_hear(patience(), note(), [this] { return offer_station(psync_); });
}

void Party::post(std::uint32_t step) noexcept {
  met_ = false;
  // Release for what this member did. No full fence: a root of many broadcasts would wait in each until its news has
  // left.
  meeting(me_).step.store(base_ + step, std::memory_order_release);
  sync::ring_unfenced(bell(me_));
}

bool Party::has_come(int member, std::uint32_t step) const noexcept {
  return member == me_ || reached(meeting(member).step, base_ + step);
}

void Party::await(int member, std::uint32_t step) noexcept {
  met_ = false;
  wait_for(member, meeting(member).step, base_ + step);
}

void Party::wait_for(int member, const std::atomic<std::uint64_t>& word, std::uint64_t step) const noexcept {
  if (reached(word, step)) {
    return;
  }
  sync::wait_uncrowded(patience(), bell(member), nullptr, note(), [&] { return reached(word, step); });
}

std::atomic<std::uint64_t>* Party::to_show() noexcept {
  line_ = team_ != nullptr ? ++team_->shows % 2 : shows_++ % 2;
  met_ = false;
  return meeting(me_).shown[line_].words.data();
}

void Party::show() noexcept {
  // Release for the words.
  meeting(me_).shown[line_].step.store(base_ + 1, std::memory_order_release);
  sync::ring_unfenced(bell(me_));
}

void Party::await_shown(int member) noexcept { wait_for(member, meeting(member).shown[line_].step, base_ + 1); }

void Party::exchange() noexcept {
  show();
  for (int distance = 1; distance < size(); ++distance) {
    await_shown(after(distance));
  }
}

void Party::await_all(std::uint32_t step) noexcept {
  for (int distance = 1; distance < size(); ++distance) {
    await(after(distance), step);
  }
}

}  // namespace weft::coll
