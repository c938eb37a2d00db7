// What the OpenMP threads of a PE were found doing: copies of their records (boot/threads.hpp), held to what can be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boot/threads.hpp"

namespace weft::doctor {

/// boot::ThreadRecord, read.
struct Thread {
  std::uint32_t id = 0;
  std::uint64_t home = 0;
  std::uint32_t home_number = 0;
  std::uint32_t home_level = 0;
  std::uint32_t home_primary = 0;
  // The wait; kNot: it is in none that has lasted.
  boot::ThreadWaits why = boot::ThreadWaits::kNot;
  std::uint64_t since = 0;
  std::uint64_t lasted = 0;
  std::uint64_t site = 0;
  std::uint64_t object = 0;
  std::uint64_t wanted = 0;
  std::uint32_t holder = 0;
  std::uint32_t looks = 0;
  std::uint64_t team = 0;
  std::uint32_t number = 0;
  std::uint32_t size = 1;
  std::uint32_t primary = 0;
  // A task that it runs; 0: none.
  std::uint64_t task = 0;
  std::uint64_t task_parent = 0;
  std::uint64_t task_group = 0;
  std::uint64_t arrived = 0;
  std::vector<std::uint64_t> held = {};
  bool still = true;  // as Wait::still

  bool waits() const { return why != boot::ThreadWaits::kNot; }
  /// Has nothing to do before the next region.
  bool idles() const { return why == boot::ThreadWaits::kRegion; }
  bool waits_for_team() const { return why >= boot::ThreadWaits::kBarrier && why <= boot::ThreadWaits::kRegionEnd; }
  bool waits_at_barrier() const { return why == boot::ThreadWaits::kBarrier || why == boot::ThreadWaits::kWorkEnd; }
  bool waits_for_lock() const {
    return (why >= boot::ThreadWaits::kUnnamed && why <= boot::ThreadWaits::kNestedLock) ||
           why == boot::ThreadWaits::kStatic;
  }
  bool waits_for_tasks() const { return why >= boot::ThreadWaits::kChildren && why <= boot::ThreadWaits::kDependences; }
  /// It has told which thread is to end it, if that is known.
  bool waits_for_thread() const {
    return waits_for_lock() || why == boot::ThreadWaits::kOrdered || why == boot::ThreadWaits::kIteration;
  }
  bool same_wait(const Thread& other) const {
    return id == other.id && why == other.why && since == other.since && home == other.home;
  }
};

/// boot::PeThreads, read.
struct OpenMp {
  int pid = 0;  // 0: the PE has none
  boot::ThreadsBy by = boot::ThreadsBy::kProcess;
  // Of a region over processes that have pages; here 0: there is none.
  std::uint64_t team = 0;
  std::uint32_t first = 0;
  std::uint32_t here = 0;
  std::uint32_t size = 0;
  std::vector<Thread> threads = {};

  bool is_there() const { return pid != 0; }
};

/// What cannot be is left out and told in `damage`. `now` is on the clock of the records.
OpenMp read_threads(const boot::PeThreads& from, std::uint64_t now, std::string* damage);

/// As those for PEs (state.hpp).
bool is_settled(const OpenMp& before, const OpenMp& after);
void keep_still(const OpenMp& before, OpenMp& after);

}  // namespace weft::doctor
