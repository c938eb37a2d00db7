#include "coll/barrier.hpp"

#include <algorithm>

#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"
#include "coll/ongoing.hpp"
#include "coll/sharing.hpp"
#include "coll/stations.hpp"
#include "copy/copy.hpp"
#include "group/notes.hpp"
#include "job/node.hpp"

namespace weft::coll {
namespace {

// Who waits for a post() may miss its ring (sync/doorbell.hpp), rarely; it then wakes by itself a part of its wait
// late.
constexpr std::uint64_t kLongestNapNs = 100'000'000;

// While a job starts or ends, PEs that have nothing to do should leave the processors to those that still come and go.
// Where these keep all processors busy, at once and until the last one rings: its ring is behind a fence, nobody misses
// it. Where they do not, it takes longer to wake a processor than its PEs would have yielded.
constexpr std::uint64_t kSleepSoonNs = 100'000;
constexpr std::uint64_t kLongNapNs = 2'000'000;
constexpr std::uint32_t kBusy = 2;  // with more PEs for each processor

void leave_to_others(const job::Node& node, sync::Patience& patience) noexcept {
  patience.sleep_after_ns = std::min(patience.sleep_after_ns, kSleepSoonNs);
  if (static_cast<std::uint64_t>(node.n_local) > std::uint64_t{kBusy} * node.job->cpus) {
    patience.sleep_after_ns = 0;
    patience.shortest_nap_ns = kLongNapNs;
  }
}

// In a meeting, behind its begin.
void do_own_part() noexcept {
  // PEs that sleep in a wait for a value may be waiting for what this one has put just before. A sleeper that arrives
  // after this look is found by its next nap.
  job::wake_sleepers();
  // A PE whose barriers are always quick would otherwise never do its part.
  (void)progress();
}

sync::Patience patience_of_meeting(bool coming_or_going) noexcept {
  sync::Patience patient = patience();
  if (job::node().crowded && coming_or_going) {
    leave_to_others(job::node(), patient);
  }
  return patient;
}

// At a gate, of members that share processors: those on this one that are still to come need it.
class Gate {
 public:
  explicit Gate(const group::Team& team) noexcept : team_(team), sharing_(team) {}

  static bool is_of(const group::Team& team) noexcept {
    return job::node().barrier_kind == sync::BarrierKind::kGate && Sharing::is_of(team);
  }
  void come() const noexcept {
    const std::uint64_t episode = team_.barrier.episode() + 1;
    sharing_.tell(episode);
    sharing_.station(team_.seat).meeting.at.come.store(episode, std::memory_order_relaxed);  // a hint
  }
  void wait() const noexcept {
    const std::uint64_t episode = team_.barrier.episode();
    const std::atomic<std::uint64_t>& open = sharing_.station(0).gate.episode;
    const auto is_awaited = [&](const group::Station& theirs) {
      return theirs.meeting.at.come.load(std::memory_order_relaxed) < episode;  // a hint
    };
    const auto is_beside = [&](std::uint32_t processor) { return sharing_.is_beside(processor, is_awaited); };
    // Relaxed: the barrier's own look behind it acquires.
    (void)sync::wait_elsewhere(patience(), is_beside, [&] { return open.load(std::memory_order_relaxed) >= episode; });
  }

 private:
  const group::Team& team_;
  Sharing sharing_;
};

void meet_here(group::Team& team, const sync::WaitNote& note, bool coming_or_going) noexcept {
  const bool looks = !coming_or_going && Gate::is_of(team);
  if (looks) {
    Gate(team).come();
  }
  team.barrier.arrive();
  do_own_part();
  if (looks) {
    Gate(team).wait();
  }
  team.barrier.wait(patience_of_meeting(coming_or_going), note);
}

// All of a domain have come before its leader says so, and go when it has heard of the others.
void meet_of_domains(const group::Span& span, transport::Tag tag, const sync::WaitNote& note) noexcept {
  across::Messages messages(transport::tagged(), tag, note);
  if (span.domains[span.mine].size == job::node().n_local) {
    messages.others_wait();
  }
  across::meet(across::Speakers(span), messages);
}

template <boot::Waiting why>
void call_barrier(group::Team& team) noexcept {
  constexpr bool kComingOrGoing = why == boot::Waiting::kInit || why == boot::Waiting::kFinalize;
  const sync::WaitNote note(group::kMeetingNote<why>, &team);
  group::count_call(team);
  if (team.span == nullptr) [[likely]] {
    meet_here(team, note, kComingOrGoing);
    return;
  }
  team.barrier.meet_around(patience_of_meeting(kComingOrGoing), note, do_own_part,
                           [&] { meet_of_domains(*team.span, Party::tag_of(team), note); });
}

}  // namespace

sync::Patience patience() noexcept {
  sync::Patience patience = job::node().patience;
  patience.longest_nap_ns = kLongestNapNs;
  return patience;
}

void barrier() noexcept { call_barrier<boot::Waiting::kBarrier>(group::world()); }
void meet_at_finalize() noexcept {
  call_barrier<boot::Waiting::kFinalize>(group::world());
  copy::keep();
}

void meet_at_init() noexcept {
  call_barrier<boot::Waiting::kInit>(group::world());
  group::count_calls_anew();  // people count those that they see in the program
}

void team_barrier(group::Team& team) noexcept {
  if (!team.steady) [[unlikely]] {
    if (team.slot < 0) {
      need_station(team);
    }
    call_barrier<boot::Waiting::kTeam>(team);
    if (!team.steady) {
      end_call(team, nullptr);
    }
    return;
  }
  // A team of all: each PE is needed, so one that has gone ends the job at once.
  const bool all = team.members.size == job::node().n_pes;
  all ? call_barrier<boot::Waiting::kBarrier>(team) : call_barrier<boot::Waiting::kTeam>(team);
}

void meet_here(group::Team& team, const sync::WaitNote& note) noexcept { meet_here(team, note, false); }

bool meet(Party& party) noexcept {
  if (!party.begin()) [[unlikely]] {
    return false;
  }
  party.barrier();
  if (party.span() != nullptr) [[unlikely]] {
    if (across::leads(party)) {
      meet_of_domains(*party.span(), party.tag(), party.note());
    }
    party.barrier();
  }
  return true;
}

}  // namespace weft::coll
