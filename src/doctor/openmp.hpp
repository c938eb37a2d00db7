// Why OpenMP threads do not go on: rules only, over what they were found doing.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "doctor/state.hpp"

namespace weft::doctor {

/// A thread of a PE, by its place in Pe::openmp.
struct ThreadOf {
  int pe = 0;
  int thread = 0;
  bool operator==(const ThreadOf& other) const = default;
  bool operator<(const ThreadOf& other) const { return std::tie(pe, thread) < std::tie(other.pe, other.thread); }
};

/// Threads that wait at one construct, for the same.
struct Meeting {
  std::vector<ThreadOf> waiting;
  // Of the team, who has not come: by their numbers, and those of them that are known.
  std::vector<int> missing;
  std::vector<ThreadOf> needed;  // who is to end the wait: the missing, the holder, those that run the tasks
};

struct ThreadFinding {
  enum class Kind {
    kRelock,      // it waits for what it holds itself
    kLeft,        // it waits at a barrier to which the second one does not come, as it is through with the region
    kCircle,      // each waits for the next one, and the last for the first
    kNobodyRuns,  // every thread waits, in no circle
    kHeldUpBy,    // one that does not wait is what all others wait for
  };
  Kind kind;
  std::vector<ThreadOf> threads;
};

class OpenMpView {
 public:
  explicit OpenMpView(const std::vector<Pe>& pes);

  /// Nobody has told of threads.
  bool empty() const { return threads_.empty(); }
  const std::vector<ThreadOf>& threads() const { return threads_; }
  const Thread& at(const ThreadOf& which) const {
    return pes_[static_cast<std::size_t>(which.pe)].openmp.threads[static_cast<std::size_t>(which.thread)];
  }
  /// "3", of an inner region "3.1": thread 1 of the team of thread 3.
  std::string name(const ThreadOf& which) const;
  /// One program: its threads have their numbers whichever PE they are of.
  bool is_one_program() const { return is_one_program_; }
  /// All waits of the program's constructs, in the order of their first threads.
  std::vector<Meeting> meetings() const;
  /// Those that are worth a line though they are in no such wait: whom others need, or, where nobody waits, who has
  /// not come from a team.
  std::vector<ThreadOf> running() const;
  /// It has nothing to do until the next region.
  bool rests(const ThreadOf& which) const;
  /// The wait of its PE for pages that is this thread's; null: none.
  const Wait* pages_of(const ThreadOf& which) const;
  std::vector<ThreadFinding> diagnose() const;

 private:
  using Key = std::pair<int, std::uint64_t>;  // whose numbers and addresses: a PE's, or -1 for those of all
  struct Place {
    Key team;
    int number = 0;
  };

  const Pe& pe(int number) const { return pes_[static_cast<std::size_t>(number)]; }
  int scope(int number) const { return pe(number).openmp.by == boot::ThreadsBy::kMemory ? -1 : number; }
  const ThreadOf* by_id(int pe, std::uint32_t id) const;
  bool in_far_region(int number, std::uint64_t team) const;
  Key team_of(int number, std::uint64_t team) const;
  std::string name(const ThreadOf& which, int depth) const;
  std::vector<Place> places_of(const ThreadOf& which) const;
  bool has_come(const ThreadOf& which, const ThreadOf& waiting) const;
  void find_missing(Meeting& meeting) const;
  void find_holder(Meeting& meeting) const;
  void find_runners(Meeting& meeting) const;
  bool is_held_by(const ThreadOf& holder, const ThreadOf& waiting) const;
  bool circle_from(const ThreadOf& from, std::vector<ThreadOf>& path, std::map<ThreadOf, bool>& done,
                   std::vector<ThreadOf>& circle) const;

  const std::vector<Pe>& pes_;
  std::vector<ThreadOf> threads_;
  std::map<std::pair<int, std::uint32_t>, ThreadOf> ids_;
  std::map<Key, std::map<int, ThreadOf>> members_;
  std::map<ThreadOf, std::vector<ThreadOf>> needs_;
  bool is_one_program_ = false;
};

}  // namespace weft::doctor
