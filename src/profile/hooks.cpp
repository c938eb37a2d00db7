#include "profile/hooks.hpp"

#include <algorithm>

#include "interpose/real.hpp"
#include "profile/program_site.hpp"
#include "profile/session.hpp"

namespace weft::profile {
namespace {

// A wait of this many ticks hides the asking of two clocks.
constexpr std::uint64_t kLongWait = 1U << 21;

}  // namespace

void count(const Probe& probe, Kind kind, const Returned& call) noexcept {
  // Null where another thread has stopped the counting in between.
  ThreadRecorder* thread = recorder();
  if (thread == nullptr) {
    return;
  }
  thread->count(probe.site, kind, call);
  if (call.end - call.begin > kLongWait) {
    note_moment();
  }
}

Probe begin(std::uint32_t call, Kind kind, const void* site) noexcept {
  ThreadRecorder* thread = recorder();
  if (thread == nullptr) {
    return {Probe::kOff, 0};
  }
  const auto address = reinterpret_cast<std::uintptr_t>(place_in_program(site));
  const std::uint32_t number = thread->site(call, kind, address);
  const std::uint64_t now = session_clock().now();
  if (waits(kind)) {
    thread->go_inside(number, now);
  }
  return {number, now};
}

void end(const Probe& probe, Kind kind, std::size_t bytes, int pe) noexcept {
  if (probe.site != Probe::kOff) {
    count(probe, kind, {.begin = probe.begin, .end = session_clock().now(), .bytes = bytes, .peer = pe});
  }
}

int pe_of_context(shmem_ctx_t ctx, int pe) noexcept {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  if (WEFT_REAL(ctx_get_team)(ctx, &team) != 0 || team == SHMEM_TEAM_WORLD) {
    return pe;
  }
  return WEFT_REAL(team_translate_pe)(team, pe, SHMEM_TEAM_WORLD);
}

namespace {

// What is wrong with a set or a team the routine will say; nobody meets then.
Members members_of(const interpose::Invocation& call) noexcept {
  if (call.psync != nullptr) {
    const bool sound = call.start >= 0 && call.stride >= 0 && call.stride < Meetings::kPeBits;
    return sound ? Members{call.start, 1 << call.stride, call.size} : Members{};
  }
  if (call.team == nullptr || call.team == SHMEM_TEAM_WORLD) {
    return {0, 1, session_header()->n_pes};
  }
  // Teams are split by strides, so two members tell all.
  Members members{0, 1, WEFT_REAL(team_n_pes)(call.team)};
  if (members.size > 1) {
    members.first = WEFT_REAL(team_translate_pe)(call.team, 0, SHMEM_TEAM_WORLD);
    members.stride = WEFT_REAL(team_translate_pe)(call.team, 1, SHMEM_TEAM_WORLD) - members.first;
  }
  return members;
}

}  // namespace

MeetingBook::Ticket come(const Probe& probe, const interpose::Invocation& call) noexcept {
  return probe.site == Probe::kOff ? MeetingBook::Ticket{} : session_meetings().come(members_of(call), probe.begin);
}

void end_meeting(const Probe& probe, Kind kind, std::size_t bytes, const MeetingBook::Ticket& ticket) noexcept {
  if (probe.site == Probe::kOff) {
    return;
  }
  const std::uint64_t now = session_clock().now();
  const MeetingBook::Last last = session_meetings().leave(ticket);
  count(probe, kind, {.begin = probe.begin, .end = now, .bytes = bytes, .last = last.pe, .late = last.late});
}

void note_heap() noexcept {
  if (Header* header = session_header(); header != nullptr) {
    header->heap_peak = std::max(header->heap_peak, interpose::library().heap_in_use());
  }
}

void note_end(api::Op operation) noexcept {
  mark_end(operation == api::Op::finalize ? State::kFinalised : State::kExited);
}

void control(int level) noexcept { count_calls(level != 0); }

}  // namespace weft::profile
