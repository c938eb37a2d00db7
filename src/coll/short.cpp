#include "coll/short.hpp"

#include <algorithm>
#include <cstring>

#include "coll/barrier.hpp"
#include "coll/choose.hpp"
#include "coll/expect.hpp"
#include "coll/ongoing.hpp"
#include "coll/sharing.hpp"
#include "copy/copy.hpp"
#include "group/notes.hpp"
#include "sync/uncrowded.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kFew = group::kWords * kWord;
// Above it the copy is what takes time.
constexpr std::size_t kSmall = 4096;
constexpr std::size_t kSmallReduce = 1024;

// A call in which a member has to show its step (Party::show_count) is none of these.
bool may_be_short(const group::Team& team) noexcept {
  return team.span == nullptr && team.steady && !Party::shows_count(team.step + Party::kStepsPerCall);
}

/// For people whom a wait is explained to.
struct Told {
  const group::Team& team;
  std::size_t bytes;
  static int begin_wait(const void* told, std::uint64_t /*detail*/) noexcept {
    const Told& call = *static_cast<const Told*>(told);
    return Party::tell_wait(call.team.members, &call.team, call.bytes, -1);
  }
  sync::WaitNote note() const noexcept {
    static constexpr sync::WaitNote::Writer kNote = {begin_wait, job::looked_in_vain, job::end_wait};
    return {kNote, this};
  }
};

void begin(group::Team& team) noexcept {
  group::count_call(team);
  (void)progress();
}

/// What members show each other in a few lines each, the first one as by Party::exchange(). Each line has the step of
/// the call, so that who waits for all of them waits for one transfer and not for one behind the other.
class Lines {
 public:
  Lines(group::Team& team, std::size_t bytes) noexcept : team_(team), told_{team, bytes}, turn_(++team.shows % 2) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { team_.step += Party::kStepsPerCall; }

  void show(const void* from, std::size_t bytes) noexcept {
    group::Station& mine = station(team_.seat);
    if (Sharing::is_of(team_)) {
      Sharing(team_).tell(team_.step / Party::kStepsPerCall);
    }
    const auto* at = static_cast<const std::byte*>(from);
    for (std::size_t k = 1; k * kFew < bytes; ++k) {
      // Others have read it: it comes while the stores before are on their way.
      expect_to_write(&line(mine, k));
    }
    for (std::size_t begin = 0; begin < bytes; begin += kFew) {
      show_line(line(mine, begin / kFew), at + begin, std::min(kFew, bytes - begin));
    }
    sync::ring_unfenced(mine.bell);
  }

  /// Waits for a member, and gives what it shows from `begin` on.
  void take(int seat, std::size_t begin, void* to, std::size_t bytes) noexcept {
    group::Station& theirs = station(seat);
    const std::size_t first = begin / kFew;
    const std::size_t end = (begin + bytes + kFew - 1) / kFew;
    const std::uint64_t step = team_.step + 1;
    // All are looked at whatever the first one says, so that their transfers go side by side.
    const auto have_come = [&] {
      bool all = true;
      for (std::size_t k = first; k < end; ++k) {
        // Acquire: its words are there.
        all &= static_cast<std::int64_t>(line(theirs, k).step.load(std::memory_order_acquire) - step) >= 0;
      }
      return all;
    };
    if (!have_come() && !(Sharing::is_of(team_) && wait_elsewhere(have_come))) {
      sync::wait_uncrowded(patience(), theirs.bell, nullptr, told_.note(), have_come);
    }
    std::uint64_t words[group::kWordsOfLines];
    for (std::size_t k = first; k < end; ++k) {
      const group::Shown& shown = line(theirs, k);
      const std::size_t used = std::min(kFew, begin + bytes - k * kFew);
      for (std::size_t word = 0; word * kWord < used; ++word) {
        // Relaxed: have_come() has acquired them.
        words[k * group::kWords + word] = shown.words[word].load(std::memory_order_relaxed);
      }
    }
    const std::byte* from = reinterpret_cast<const std::byte*>(words) + begin;
    bytes == kWord ? std::memcpy(to, from, kWord) : std::memcpy(to, from, bytes);
  }

 private:
  group::Station& station(int seat) const noexcept {
    return group::station(job::node().job, team_.slot, team_.here.place(seat));
  }
  template <class HaveCome>
  bool wait_elsewhere(HaveCome&& have_come) const noexcept {
    const std::uint64_t step = team_.step + 1;
    const auto is_awaited = [&](group::Station& theirs) {
      return static_cast<std::int64_t>(line(theirs, 0).step.load(std::memory_order_relaxed) - step) < 0;  // a hint
    };
    const auto is_beside = [&](std::uint32_t processor) { return Sharing(team_).is_beside(processor, is_awaited); };
    return sync::wait_elsewhere(patience(), is_beside, have_come);
  }
  group::Shown& line(group::Station& station, std::size_t k) const noexcept {
    return k == 0 ? station.meeting.shown[turn_] : station.further[turn_][k - 1];
  }
  void show_line(group::Shown& line, const std::byte* at, std::size_t bytes) const noexcept {
    for (std::size_t k = 0; k < bytes; k += kWord) {
      std::uint64_t word = 0;
      bytes - k >= kWord ? std::memcpy(&word, at + k, kWord) : std::memcpy(&word, at + k, bytes - k);
      line.words[k / kWord].store(word, std::memory_order_relaxed);  // the step publishes them
    }
    // Release for the words.
    line.step.store(team_.step + 1, std::memory_order_release);
  }

  group::Team& team_;
  Told told_;
  std::uint32_t turn_;
};

// Begins with the one behind this member, so that not all look at the same one.
template <class Do>
void each_other(const group::Team& team, Do&& call) noexcept {
  for (int seat = team.seat + 1; seat < team.here.size; ++seat) {
    call(seat);
  }
  for (int seat = 0; seat < team.seat; ++seat) {
    call(seat);
  }
}

/// Block `k` of the source to block `seat` of member k's target, by `block(k)` and a meeting.
template <class Block>
void put_and_meet(group::Team& team, void* dest, std::size_t bytes, Block&& block) noexcept {
  begin(team);
  const memory::Space& space = job::node().space;
  std::byte* const mine = static_cast<std::byte*>(dest) + static_cast<std::size_t>(team.seat) * bytes;
  each_other(team, [&](int seat) {
    const std::uintptr_t at = space.peer(reinterpret_cast<std::uintptr_t>(mine), team.here.place(seat));
    copy::copy(reinterpret_cast<void*>(at), block(seat), bytes);
  });
  copy::copy(mine, block(team.seat), bytes);
  const Told told{team, bytes};
  meet_here(team, told.note());
}

// In the order of the members, as all algorithms combine. `theirs(seat)` is where a member's elements are.
template <class Theirs>
void combine_in_order(const group::Team& team, const Reduce& call, Theirs&& theirs) noexcept {
  const void* result = theirs(0);
  for (int seat = 1; seat < team.here.size; ++seat) {
    call.combine(call.dest, result, theirs(seat), call.count);
    result = call.dest;
  }
  if (result != call.dest) {
    std::memcpy(call.dest, result, call.count * call.element);
  }
}

// Each reads the others' sources where they are: they are in its caches where nobody has changed them since.
void reduce_by_meetings(group::Team& team, const Reduce& call, std::size_t bytes) noexcept {
  begin(team);
  const memory::Space& space = job::node().space;
  const Told told{team, bytes};
  meet_here(team, told.note());
  alignas(64) std::byte room[kSmallReduce];  // the target may be the source, which others still read
  combine_in_order(team, {room, call.source, call.count, call.element, call.combine}, [&](int seat) {
    const auto at = reinterpret_cast<std::uintptr_t>(call.source);
    return seat == team.seat ? call.source : reinterpret_cast<const void*>(space.peer(at, team.here.place(seat)));
  });
  meet_here(team, told.note());
  std::memcpy(call.dest, room, bytes);
}

}  // namespace

bool fcollect_shortly(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept {
  const int size = team.here.size;
  if (!may_be_short(team) || bytes > kSmall) {
    return false;
  }
  if (bytes <= kFew && size <= kMostMembersInLines && nobody_chose_fcollect()) {
    gather_in_lines(team, dest, source, bytes);
    return true;
  }
  if (fcollect_algorithm(bytes, size) != CollectAlgorithm::linear_put) {
    return false;
  }
  put_and_meet(team, dest, bytes, [&](int /*seat*/) { return source; });
  return true;
}

bool alltoall_shortly(group::Team& team, const Alltoall& call) noexcept {
  const auto size = static_cast<std::size_t>(team.here.size);
  const std::size_t bytes = call.count * call.element;
  if (!may_be_short(team) || call.strided || bytes > kSmall) {
    return false;
  }
  const auto* const source = static_cast<const std::byte*>(call.source);
  if (bytes * size <= kFew && nobody_chose_alltoall()) {
    exchange_in_lines(team, call.dest, call.source, bytes);
    return true;
  }
  if (alltoall_algorithm(bytes, team.here.size, false) != AlltoallAlgorithm::pairwise_put) {
    return false;
  }
  put_and_meet(team, call.dest, bytes, [&](int seat) { return source + static_cast<std::size_t>(seat) * bytes; });
  return true;
}

bool reduce_shortly(group::Team& team, const Reduce& call) noexcept {
  const std::size_t bytes = call.count * call.element;
  const int size = team.here.size;
  if (!may_be_short(team) || bytes > kSmallReduce || size > kMostMembersInLines || !nobody_chose_reduce()) {
    return false;
  }
  if (bytes <= kFew) {
    reduce_in_lines(team, call);
    return true;
  }
  if (reduce_algorithm(bytes, size) != ReduceAlgorithm::linear_get) {
    return false;
  }
  reduce_by_meetings(team, call, bytes);
  return true;
}

bool goes_in_lines(const group::Team& team, std::size_t bytes) noexcept {
  return bytes > 0 && bytes <= kMostInLines && team.here.size <= kMostMembersInLines && may_be_short(team) &&
         nobody_chose_pull();
}

bool exchanges_in_lines(const group::Team& team, std::size_t bytes) noexcept {
  const auto others = static_cast<std::size_t>(std::max(team.here.size - 1, 1));
  return bytes <= kMostInLines && goes_in_lines(team, bytes * others);
}

void gather_in_lines(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept {
  begin(team);
  auto* const blocks = static_cast<std::byte*>(dest);
  std::byte* const mine = blocks + static_cast<std::size_t>(team.seat) * bytes;
  Lines lines(team, bytes);
  lines.show(source, bytes);
  if (mine != source) {
    std::memcpy(mine, source, bytes);
  }
  each_other(team, [&](int seat) { lines.take(seat, 0, blocks + static_cast<std::size_t>(seat) * bytes, bytes); });
}

void exchange_in_lines(group::Team& team, void* dest, const void* source, std::size_t bytes) noexcept {
  begin(team);
  auto* const blocks = static_cast<std::byte*>(dest);
  const auto* const own = static_cast<const std::byte*>(source);
  const std::size_t mine = static_cast<std::size_t>(team.seat) * bytes;
  const std::size_t others = static_cast<std::size_t>(team.here.size - 1) * bytes;
  std::byte shown[kMostInLines];
  std::memcpy(shown, own, mine);
  std::memcpy(shown + mine, own + mine + bytes, others - mine);
  Lines lines(team, bytes);
  lines.show(shown, others);
  if (dest != source) {
    std::memcpy(blocks + mine, own + mine, bytes);
  }
  each_other(team, [&](int seat) {
    const std::size_t there = seat < team.seat ? mine - bytes : mine;
    lines.take(seat, there, blocks + static_cast<std::size_t>(seat) * bytes, bytes);
  });
}

void reduce_in_lines(group::Team& team, const Reduce& call) noexcept {
  const std::size_t bytes = call.count * call.element;
  begin(team);
  // From one to the next a whole number of lines: what is combined is aligned for all types.
  alignas(64) std::byte all[kMostMembersInLines][(kMostInLines + 63) / 64 * 64];
  std::memcpy(all[team.seat], call.source, bytes);
  Lines lines(team, bytes);
  lines.show(call.source, bytes);
  each_other(team, [&](int seat) { lines.take(seat, 0, all[seat], bytes); });
  combine_in_order(team, call, [&](int seat) { return static_cast<const void*>(all[seat]); });
}

}  // namespace weft::coll
