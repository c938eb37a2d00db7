#include "doctor/openmp.hpp"

#include <algorithm>
#include <tuple>

namespace weft::doctor {
namespace {

using boot::ThreadsBy;
using boot::ThreadWaits;

// Teams of a region over processes by pages have an address in each; there is one such region at a time.
constexpr std::pair<int, std::uint64_t> kFarTeam{-2, 0};
constexpr std::size_t kMostThreads = 1 << 14;  // of all PEs; people read what is told of them
constexpr int kMostInside = 8;                 // regions in regions whose threads have names

void add(std::vector<ThreadOf>& to, const ThreadOf& which) {
  if (std::find(to.begin(), to.end(), which) == to.end()) to.push_back(which);
}

}  // namespace

OpenMpView::OpenMpView(const std::vector<Pe>& pes) : pes_(pes) {
  for (int k = 0; k < static_cast<int>(pes.size()); ++k) {
    const OpenMp& openmp = pe(k).openmp;
    is_one_program_ = is_one_program_ || openmp.by != ThreadsBy::kProcess || pes.size() == 1;
    bool has_main = false;
    for (int n = 0; n < static_cast<int>(openmp.threads.size()) && threads_.size() < kMostThreads; ++n) {
      const ThreadOf which{k, n};
      const Thread& thread = at(which);
      threads_.push_back(which);
      ids_.try_emplace({scope(k), thread.id}, which);
      for (const Place& place : places_of(which)) members_[place.team].insert_or_assign(place.number, which);
      if (thread.home == 0 && !std::exchange(has_main, true) && in_far_region(k, openmp.team)) {
        members_[kFarTeam].try_emplace(static_cast<int>(openmp.first), which);
      }
    }
  }
  for (const ThreadOf& which : threads_) {
    const Thread& thread = at(which);
    if (!thread.waits() || thread.team == 0) continue;
    const bool is_far = in_far_region(which.pe, thread.team);
    const int number = is_far ? static_cast<int>(pe(which.pe).openmp.first) : 0;
    if (const ThreadOf* primary = by_id(which.pe, thread.primary)) {
      members_[team_of(which.pe, thread.team)].try_emplace(number, *primary);
    }
  }
  for (const Meeting& meeting : meetings()) {
    for (const ThreadOf& which : meeting.waiting) {
      if (at(which).still) needs_[which] = meeting.needed;
    }
  }
}

const ThreadOf* OpenMpView::by_id(int pe, std::uint32_t id) const {
  const auto found = id == 0 ? ids_.end() : ids_.find({scope(pe), id});
  return found == ids_.end() ? nullptr : &found->second;
}

bool OpenMpView::in_far_region(int number, std::uint64_t team) const {
  const OpenMp& openmp = pe(number).openmp;
  return openmp.by == ThreadsBy::kPages && openmp.here > 0 && openmp.team == team;
}

OpenMpView::Key OpenMpView::team_of(int number, std::uint64_t team) const {
  return in_far_region(number, team) ? kFarTeam : Key{scope(number), team};
}

// The team that has made it, and the one that it is in, if it has told.
std::vector<OpenMpView::Place> OpenMpView::places_of(const ThreadOf& which) const {
  const Thread& thread = at(which);
  std::vector<Place> places;
  if (thread.home != 0) {
    const std::uint32_t first = in_far_region(which.pe, thread.home) ? pe(which.pe).openmp.first : 0;
    places.push_back({team_of(which.pe, thread.home), static_cast<int>(first + thread.home_number)});
  }
  if (thread.waits() && thread.team != 0) {
    places.push_back({team_of(which.pe, thread.team), static_cast<int>(thread.number)});
  }
  return places;
}

std::string OpenMpView::name(const ThreadOf& which) const { return name(which, 0); }

std::string OpenMpView::name(const ThreadOf& which, int depth) const {
  const Thread& thread = at(which);
  if (thread.home != 0 && thread.home_level <= 1) return std::to_string(places_of(which)[0].number);
  if (thread.home != 0) {
    const ThreadOf* primary = depth < kMostInside ? by_id(which.pe, thread.home_primary) : nullptr;
    return (primary == nullptr ? "?" : name(*primary, depth + 1)) + "." + std::to_string(thread.home_number);
  }
  const OpenMp& openmp = pe(which.pe).openmp;
  const auto is_own = [](const Thread& each) { return each.home == 0; };
  const auto first = std::find_if(openmp.threads.begin(), openmp.threads.end(), is_own);
  if (first - openmp.threads.begin() != which.thread) return "of id " + std::to_string(thread.id);
  return std::to_string(openmp.here > 0 ? openmp.first : 0);
}

bool OpenMpView::has_come(const ThreadOf& which, const ThreadOf& waiting) const {
  const Thread& thread = at(which);
  const Key team = team_of(waiting.pe, at(waiting).team);
  if (thread.arrived != 0 && team_of(which.pe, thread.arrived) == team) return true;
  const bool is_in_team = thread.waits() && thread.team != 0 && team_of(which.pe, thread.team) == team;
  if (at(waiting).why == ThreadWaits::kRegionEnd) {
    return thread.idles() || (is_in_team && thread.why == ThreadWaits::kRegionEnd);
  }
  return is_in_team && thread.waits_at_barrier();
}

void OpenMpView::find_missing(Meeting& meeting) const {
  const ThreadOf& first = meeting.waiting[0];
  const Key team = team_of(first.pe, at(first).team);
  const OpenMp& openmp = pe(first.pe).openmp;
  int begin = 0;
  int end = static_cast<int>(at(first).size);
  if (team == kFarTeam && at(first).why == ThreadWaits::kRegionEnd) {  // of this process's threads
    begin = static_cast<int>(openmp.first);
    end = begin + static_cast<int>(openmp.here);
  }
  const auto known = members_.find(team);
  for (int number = begin; number < end; ++number) {
    const auto member =
        known == members_.end() ? std::map<int, ThreadOf>::const_iterator{} : known->second.find(number);
    const bool is_known = known != members_.end() && member != known->second.end();
    if (is_known && (member->second == first || has_come(member->second, first))) continue;
    meeting.missing.push_back(number);
    if (is_known) add(meeting.needed, member->second);
  }
}

bool OpenMpView::is_held_by(const ThreadOf& holder, const ThreadOf& waiting) const {
  const Thread& wait = at(waiting);
  if (const ThreadOf* by_word = by_id(waiting.pe, wait.holder); by_word != nullptr && *by_word == holder) return true;
  const bool same_memory = holder.pe == waiting.pe || pe(waiting.pe).openmp.by != ThreadsBy::kProcess;
  const std::vector<std::uint64_t>& held = at(holder).held;
  return same_memory && std::find(held.begin(), held.end(), wait.object) != held.end();
}

void OpenMpView::find_holder(Meeting& meeting) const {
  for (const ThreadOf& which : threads_) {
    if (is_held_by(which, meeting.waiting[0])) add(meeting.needed, which);
  }
}

void OpenMpView::find_runners(Meeting& meeting) const {
  const ThreadOf& first = meeting.waiting[0];
  const Thread& wait = at(first);
  for (const ThreadOf& which : threads_) {
    const Thread& thread = at(which);
    const std::uint64_t whose = wait.why == ThreadWaits::kGroup ? thread.task_group : thread.task_parent;
    if (thread.task != 0 && whose == wait.object && scope(which.pe) == scope(first.pe) && which != first) {
      add(meeting.needed, which);
    }
  }
}

std::vector<Meeting> OpenMpView::meetings() const {
  std::map<std::tuple<Key, ThreadWaits, std::uint64_t, std::uint64_t>, std::size_t> known;
  std::vector<Meeting> found;
  for (const ThreadOf& which : threads_) {
    const Thread& thread = at(which);
    if (!thread.waits() || thread.idles()) continue;
    const bool is_shared = thread.waits_for_lock() && pe(which.pe).openmp.by != ThreadsBy::kProcess;
    const Key where = is_shared ? Key{-1, 0} : team_of(which.pe, thread.team);
    const std::uint64_t what = thread.why == ThreadWaits::kOrdered ? 0 : thread.object;
    const auto [place, is_new] = known.try_emplace({where, thread.why, thread.site, what}, found.size());
    if (is_new) found.emplace_back();
    found[place->second].waiting.push_back(which);
  }
  for (Meeting& meeting : found) {
    const Thread& first = at(meeting.waiting[0]);
    if (first.waits_for_team() && first.team != 0) find_missing(meeting);
    if (first.waits_for_thread()) find_holder(meeting);
    if (first.waits_for_tasks()) find_runners(meeting);
  }
  return found;
}

// By pages the first thread of each process serves process 0 meanwhile.
bool OpenMpView::rests(const ThreadOf& which) const {
  const OpenMp& openmp = pe(which.pe).openmp;
  return at(which).idles() ||
         (openmp.by == ThreadsBy::kPages && which.pe != 0 && openmp.here == 0 && at(which).home == 0);
}

const Wait* OpenMpView::pages_of(const ThreadOf& which) const {
  for (const Wait& wait : pe(which.pe).waits) {
    if (wait.why == boot::Waiting::kPages && static_cast<std::uint32_t>(wait.start) == at(which).id) return &wait;
  }
  return nullptr;
}

std::vector<ThreadOf> OpenMpView::running() const {
  std::vector<ThreadOf> found;
  for (const ThreadOf& which : threads_) {
    if (!at(which).waits() && !rests(which) && pages_of(which) == nullptr) found.push_back(which);
  }
  return found;
}

// Depth first; `path` is how we came here. The first circle is enough.
bool OpenMpView::circle_from(const ThreadOf& from, std::vector<ThreadOf>& path, std::map<ThreadOf, bool>& done,
                             std::vector<ThreadOf>& circle) const {
  constexpr std::size_t kLongest = 1000;  // nobody reads a longer one
  if (path.size() == kLongest) return false;
  if (const auto known = done.find(from); known != done.end()) {
    if (known->second) return false;
    circle.assign(std::find(path.begin(), path.end(), from), path.end());
    return true;
  }
  done[from] = false;
  path.push_back(from);
  const auto needs = needs_.find(from);
  for (std::size_t k = 0; needs != needs_.end() && k < needs->second.size(); ++k) {
    if (circle_from(needs->second[k], path, done, circle)) return true;
  }
  path.pop_back();
  done[from] = true;
  return false;
}

std::vector<ThreadFinding> OpenMpView::diagnose() const {
  using Kind = ThreadFinding::Kind;
  constexpr std::uint64_t kLong = 500'000'000;
  std::vector<ThreadFinding> found;
  // Who waits for its team has come, and others of the team that idle have left it: they never come.
  for (const auto& [which, needed] : needs_) {
    for (const ThreadOf& each : needed) {
      if (each == which && at(which).waits_for_lock()) found.push_back({Kind::kRelock, {which}});
      if (at(each).idles() && at(which).waits_at_barrier()) found.push_back({Kind::kLeft, {which, each}});
    }
    if (!found.empty()) return found;
  }
  std::map<ThreadOf, bool> done;
  for (const auto& [which, needed] : needs_) {
    std::vector<ThreadOf> path;
    std::vector<ThreadOf> circle;
    if (circle_from(which, path, done, circle)) return {{Kind::kCircle, circle}};
  }
  std::vector<ThreadOf> waiting;
  std::vector<ThreadOf> others;
  for (const ThreadOf& which : threads_) {
    const Thread& thread = at(which);
    if (!pe(which.pe).damage.empty() || pages_of(which) != nullptr) return {};
    if (rests(which)) continue;
    if (thread.waits() && (!thread.still || thread.lasted < kLong)) return {};
    (thread.waits() ? waiting : others).push_back(which);
  }
  if (waiting.empty()) return {};
  if (others.empty()) return {{Kind::kNobodyRuns, waiting}};
  if (others.size() == 1 && waiting.size() > 1) return {{Kind::kHeldUpBy, others}};
  return {};
}

}  // namespace weft::doctor
