// The records of a job's PEs as they were last heard of: what Watch and reports read where the PEs themselves are on
// other hosts. It looks like the control file of one node that holds all PEs, without what only PEs use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "launch/processes/job.hpp"

namespace weft::launch::hosts {

/// A job of so many PEs whose records nobody writes but apply_records. It has no data: data_fd is -1.
base::Result<processes::Job> make_mirror(int n_pes, int n_nodes, std::uint64_t token);

/// On the host of the PEs: which of their records have changed since the last time, and in what.
class RecordNews {
 public:
  /// `pes`: the numbers in the job of the node's PEs.
  RecordNews(boot::JobHeader* job, std::vector<int> pes)
      : job_(job),
        pes_(std::move(pes)),
        stopped_(pes_.size()),
        told_(pes_.size(), std::string(sizeof(boot::PeRecord), '\0')) {}
  /// What is told of the PE's process, which oshrun cannot look at.
  void set_stopped(int local, bool stopped) { stopped_[static_cast<std::size_t>(local)] = stopped; }
  /// The payload of a frame; empty: nothing is new. Records only hold numbers that may be read at any time.
  std::string take();
  std::string take(int local);  // of this PE alone, whether or not it has changed
  /// The same of what its OpenMP threads tell.
  std::string take_threads();

 private:
  void read(int local, std::string& into) const;
  void tell(int local, const std::string& now, std::string& payload);
  void take_threads(int local, std::string& payload);

  boot::JobHeader* job_;
  std::vector<int> pes_;
  std::vector<bool> stopped_;
  std::vector<std::string> told_;
  std::vector<std::string> threads_told_ = std::vector<std::string>(pes_.size());
};

/// Copies what RecordNews told into the mirror. `clock` is added to the times in it: clocks of hosts differ. Others
/// than `pes`, which rise, are none of the sender's; false: the payload is damaged.
bool apply_records(std::string_view payload, boot::JobHeader* mirror, std::int64_t clock, const std::vector<int>& pes);

bool apply_threads(std::string_view payload, boot::JobHeader* mirror, std::int64_t clock, const std::vector<int>& pes);

/// Says in the mirror that the PE's process is gone.
void mark_gone(boot::JobHeader* mirror, int pe);

}  // namespace weft::launch::hosts
