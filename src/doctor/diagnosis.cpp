#include "doctor/diagnosis.hpp"

#include <algorithm>

namespace weft::doctor {
namespace {

using boot::Waiting;

// The wait of `pe` in a call on the same team; null when it is in none.
const Wait* wait_on(const Pe& pe, const Wait& team) {
  const auto found =
      std::find_if(pe.waits.begin(), pe.waits.end(), [&](const Wait& wait) { return wait.same_team(team); });
  return found == pe.waits.end() ? nullptr : &*found;
}

bool is_known(const std::vector<Finding>& findings, Finding::Kind kind, int pe) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.kind == kind && std::find(finding.pes.begin(), finding.pes.end(), pe) != finding.pes.end();
  });
}

class Search {
 public:
  explicit Search(const std::vector<Pe>& pes) : pes_(pes) {}

  std::vector<Finding> run() {
    for (int pe = 0; pe < count(); ++pe) {
      for (const Wait& wait : at(pe).waits) {
        if (!wait.still) continue;
        find_mismatches(pe, wait);
        find_different_sets(pe, wait);
        if (wait.why == Waiting::kLock && !at(pe).threads && holder_of(pes_, wait) == pe) {
          add(Finding::Kind::kRelock, {pe}, {&wait});
        }
      }
    }
    // A mismatch is the cause of the circle that comes with it.
    if (findings_.empty()) find_circle();
    if (findings_.empty()) find_culprit();
    return std::move(findings_);
  }

 private:
  int count() const { return static_cast<int>(pes_.size()); }
  const Pe& at(int pe) const { return pes_[static_cast<std::size_t>(pe)]; }
  void add(Finding::Kind kind, std::vector<int> pes, std::vector<const Wait*> waits) {
    findings_.push_back({kind, std::move(pes), std::move(waits)});
  }

  // Each member is compared with the first one only, or n PEs would make n * n findings.
  void find_mismatches(int pe, const Wait& wait) {
    if (!wait.collective()) return;
    for (int k = 0; k < wait.size; ++k) {
      const int member = wait.member(k);
      if (member < 0 || member >= count()) continue;
      const Wait* theirs = wait_on(at(member), wait);
      if (theirs == nullptr || !theirs->still || theirs->number != wait.number) continue;
      // One that is ahead of the others is only late, in calls that do not wait for all.
      if (wait.uncounted() && !not_arrived(pes_, pe, wait).empty()) return;
      if (member != pe) compare(member, *theirs, pe, wait);
      return;
    }
  }

  void compare(int first, const Wait& theirs, int pe, const Wait& mine) {
    if (theirs.call == mine.call && theirs.root == mine.root && theirs.elements == mine.elements) return;
    const auto kind = theirs.call != mine.call   ? Finding::Kind::kDifferentCalls
                      : theirs.root != mine.root ? Finding::Kind::kDifferentRoots
                                                 : Finding::Kind::kDifferentSizes;
    if (!is_known(findings_, kind, first)) add(kind, {first, pe}, {&theirs, &mine});
  }

  void find_different_sets(int pe, const Wait& wait) {
    if (!wait.collective() || wait.slot != boot::kNoSlot) return;
    for (int other = 0; other < pe; ++other) {
      for (const Wait& theirs : at(other).waits) {
        if (!theirs.still || !theirs.collective() || theirs.slot != boot::kNoSlot || theirs.same_team(wait)) continue;
        if (!theirs.has_member(pe) || !wait.has_member(other)) continue;
        if (!is_known(findings_, Finding::Kind::kDifferentSets, other)) {
          add(Finding::Kind::kDifferentSets, {other, pe}, {&theirs, &wait});
        }
      }
    }
  }

  // Whom this PE needs before its longest wait can end.
  std::vector<int> needs(int pe) const {
    const Wait* wait = at(pe).waits_still() ? at(pe).oldest() : nullptr;
    if (wait == nullptr) return {};
    if (wait->why == Waiting::kLock) {
      const int holder = holder_of(pes_, *wait);
      return holder < 0 || holder == pe ? std::vector<int>{} : std::vector<int>{holder};
    }
    // What has come or begun to move since the wait began, it tells a little later.
    constexpr std::uint64_t kTold = 200'000'000;
    if (wait->of_window_lock() && wait->lasted >= kTold) {
      if (std::vector<int> all = in_the_way(pe, *wait); !all.empty()) return all;
    }
    if (wait->needs_one_pe()) return wait->lasted < kTold ? std::vector<int>{} : std::vector<int>{wait->root};
    return wait->collective() ? not_arrived(pes_, pe, *wait) : std::vector<int>{};
  }

  // Readers are let in together, so they are in a writer's way only.
  std::vector<int> in_the_way(int pe, const Wait& wait) const {
    const WindowQueue queue = window_queue(pes_, pe, wait);
    std::vector<int> all = queue.writers;
    if (wait.exclusive()) all.insert(all.end(), queue.readers.begin(), queue.readers.end());
    all.insert(all.end(), queue.ahead.begin(), queue.ahead.end());
    return all;
  }

  // Depth first; `path` is how we came here. The first circle is enough: another one has the same cause, or is found
  // when this one has been mended.
  enum class Seen : char { kNot, kOnPath, kDone };
  bool circle_from(int pe, std::vector<int>& path, std::vector<Seen>& seen) {
    Seen& here = seen[static_cast<std::size_t>(pe)];
    if (here == Seen::kOnPath) {
      const std::vector<int> circle(std::find(path.begin(), path.end(), pe), path.end());
      std::vector<const Wait*> waits;
      waits.reserve(circle.size());
      for (const int each : circle) waits.push_back(at(each).oldest());
      add(Finding::Kind::kCircle, circle, waits);
      return true;
    }
    if (here == Seen::kDone) return false;
    path.push_back(pe);
    here = Seen::kOnPath;
    for (const int next : needs(pe)) {
      if (circle_from(next, path, seen)) return true;
    }
    path.pop_back();
    here = Seen::kDone;
    return false;
  }

  void find_circle() {
    std::vector<Seen> seen(pes_.size(), Seen::kNot);
    for (int pe = 0; pe < count(); ++pe) {
      std::vector<int> path;
      if (circle_from(pe, path, seen)) return;
    }
  }

  // Somebody waits, and one PE that is not waiting is behind all of it. Where one moves, all may.
  void find_culprit() {
    std::vector<int> waiting;
    std::vector<int> running;
    for (int pe = 0; pe < count(); ++pe) {
      if (!at(pe).alive) continue;
      if (!at(pe).damage.empty()) return;  // nobody knows what it does
      if (at(pe).waits_still()) {
        waiting.push_back(pe);
      } else if (at(pe).runs() || at(pe).stopped) {
        running.push_back(pe);
      } else {
        return;
      }
    }
    if (waiting.empty()) return;
    if (running.empty()) {
      add_starving(waiting);
    } else if (running.size() == 1 && waiting.size() > 1 && all_have_waited(waiting)) {
      add(Finding::Kind::kHeldUpBy, running, {nullptr});
    }
  }

  // Or it is nothing to speak of: the one that runs may have lost its processor for a moment.
  bool all_have_waited(const std::vector<int>& waiting) const {
    constexpr std::uint64_t kLong = 500'000'000;
    return std::all_of(waiting.begin(), waiting.end(), [&](int pe) { return at(pe).oldest()->lasted >= kLong; });
  }

  // All wait, and these for values that one of the others had to store.
  void add_starving(const std::vector<int>& waiting) {
    std::vector<int> starving;
    std::vector<const Wait*> waits;
    for (const int pe : waiting) {
      if (at(pe).oldest()->why != Waiting::kValue) continue;
      starving.push_back(pe);
      waits.push_back(at(pe).oldest());
    }
    add(Finding::Kind::kNobodyRuns, std::move(starving), std::move(waits));
  }

  const std::vector<Pe>& pes_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<int> not_arrived(const std::vector<Pe>& pes, int pe, const Wait& wait) {
  std::vector<int> missing;
  for (int k = 0; k < wait.size; ++k) {
    const int member = wait.member(k);
    if (member == pe || member < 0 || member >= static_cast<int>(pes.size())) continue;
    const Wait* theirs = wait_on(pes[static_cast<std::size_t>(member)], wait);
    if (theirs == nullptr || theirs->number < wait.number) missing.push_back(member);
  }
  return missing;
}

int holder_of(const std::vector<Pe>& pes, const Wait& wait) {
  for (std::size_t pe = 0; pe < pes.size(); ++pe) {
    const auto& locks = pes[pe].locks;
    if (std::find(locks.begin(), locks.end(), wait.object) != locks.end()) return static_cast<int>(pe);
  }
  return -1;
}

WindowQueue window_queue(const std::vector<Pe>& pes, int pe, const Wait& wait) {
  WindowQueue queue;
  std::vector<int> writers_in_line;
  bool all_known = wait.number != 0;
  for (std::size_t k = 0; k < pes.size(); ++k) {
    const int other = static_cast<int>(k);
    if (other == pe) continue;
    for (const HeldOfWindow& held : pes[k].window_locks) {
      if (held.is_lock_of(wait)) (held.exclusive ? queue.writers : queue.readers).push_back(other);
    }
    for (const Wait& theirs : pes[k].waits) {
      if (!theirs.still || !theirs.same_window_lock(wait) || (!theirs.exclusive() && !wait.exclusive())) continue;
      all_known = all_known && theirs.number != 0;
      // Places in the queue go round.
      const auto before = static_cast<std::int32_t>(static_cast<std::uint32_t>(wait.number - theirs.number));
      if (wait.number != 0 && theirs.number != 0 && before > 0) queue.ahead.push_back(other);
      if (theirs.exclusive()) writers_in_line.push_back(other);
    }
  }
  // On another node nobody knows the places. But a reader that nobody who changes something keeps out has a writer
  // before it, and where there is one only, that is it.
  if (!all_known && !wait.exclusive() && queue.writers.empty() && writers_in_line.size() == 1) {
    queue.ahead = writers_in_line;
  }
  return queue;
}

std::vector<Finding> diagnose(const std::vector<Pe>& pes) { return Search(pes).run(); }

}  // namespace weft::doctor
