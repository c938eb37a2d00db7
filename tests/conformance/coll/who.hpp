// Who makes a collective call: the teams and active sets that the suite runs every operation over.
#ifndef WEFT_TESTS_CONFORMANCE_COLL_WHO_HPP
#define WEFT_TESTS_CONFORMANCE_COLL_WHO_HPP

#include "check.h"

#include <cstddef>
#include <string>
#include <vector>

namespace suite {

/// A team, or an active set, of which this PE is a member. `pes` are its PEs of the job, in order.
struct Who {
  std::string name;
  bool active = false;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  int start = 0;
  int log_stride = 0;
  int me = 0;
  std::vector<int> pes;
  long* sync_words = nullptr;  // pSync of the synchronisation between series; used again at once

  int size() const { return static_cast<int>(pes.size()); }
  void sync() const;
};

/// A pSync array, set to SHMEM_SYNC_VALUE, and behind it room for a pWrk array. All PEs call it alike, and meet before
/// the first use.
long* new_psync(std::size_t work_bytes = 0);
/// The array is as before its first use.
bool is_restored(const long* psync);

/// WORLD, SHARED, reversed, every other PE, parts of parts, rows of a grid, and teams of one; made once.
const std::vector<Who>& teams();
/// The same kinds of active sets.
const std::vector<Who>& active_sets();

/// A team of some PEs in WORLD's numbering, for who wants one more.
Who team_of(const std::string& name, shmem_team_t team);

}  // namespace suite

#endif
