// The time lines of all PEs on one scale, the longest waits, and the events of a trace.
#pragma once

#include <vector>

#include "profile/clock.hpp"
#include "profile/recording.hpp"
#include "report/model.hpp"

namespace weft::report {

/// How to read the times of a PE's recording.
struct Clocked {
  int pe;
  profile::Scale scale;
  double begin;  // of the job, CLOCK_MONOTONIC ns
  double end;    // of the PE

  double seconds(std::uint64_t ticks) const { return scale.ns(ticks) / 1e9; }
  double since_begin(std::uint64_t ticks) const { return (scale.at(ticks) - begin) / 1e9; }
};

class TimeLines {
 public:
  TimeLines(int n_pes, double seconds);

  /// places: the number of the place of each site of the part.
  void take(const Clocked& clocked, const profile::Header& header, const profile::ThreadPart& part, int thread,
            const std::vector<int>& places);
  void add_wait(const Wait& wait, Kind kind);

  /// Puts all into the profile.
  void give(Profile& profile);

 private:
  void spread(int pe, std::size_t kind, double begin, double end, double seconds);

  int n_pes_;
  std::size_t bins_;
  double bin_seconds_;
  std::vector<double> seconds_;  // [pe][kind][bin]
  std::vector<Wait> waits_;
  std::vector<Event> events_;
};

}  // namespace weft::report
