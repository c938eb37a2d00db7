#include "report/time_line.hpp"

#include <algorithm>
#include <cmath>

namespace weft::report {
namespace {

// What a page can show, and its browser hold.
constexpr std::size_t kMostBins = 500;
constexpr std::size_t kFewestBins = 50;
constexpr std::size_t kBinsTogether = 64000;
constexpr std::size_t kWaitsTogether = 20000;

}  // namespace

TimeLines::TimeLines(int n_pes, double seconds)
    : n_pes_(n_pes),
      bins_(std::clamp(kBinsTogether / static_cast<std::size_t>(n_pes), kFewestBins, kMostBins)),
      bin_seconds_(seconds > 0 ? seconds / static_cast<double>(bins_) : 1e-9),
      seconds_(static_cast<std::size_t>(n_pes) * kKinds * bins_) {}

// Time of a kind that lies somewhere between begin and end goes evenly to the bins in between.
void TimeLines::spread(int pe, std::size_t kind, double begin, double end, double seconds) {
  const double length = std::max(end - begin, 1e-12);
  double* row = &seconds_[(static_cast<std::size_t>(pe) * kKinds + kind) * bins_];
  const auto last = static_cast<double>(bins_ - 1);
  const auto from = static_cast<std::size_t>(std::clamp(begin / bin_seconds_, 0.0, last));
  const auto to = static_cast<std::size_t>(std::clamp(end / bin_seconds_, 0.0, last));
  for (std::size_t bin = from; bin <= to; ++bin) {
    const double left = std::max(begin, static_cast<double>(bin) * bin_seconds_);
    const double right = std::min(end, static_cast<double>(bin + 1) * bin_seconds_);
    row[bin] += from == to ? seconds : seconds * std::max(0.0, right - left) / length;
  }
}

void TimeLines::take(const Clocked& clocked, const profile::Header& header, const profile::ThreadPart& part, int thread,
                     const std::vector<int>& places) {
  const profile::TimeLine& line = part.line;
  for (std::uint64_t bin = 0; bin < profile::TimeLine::kBins; ++bin) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (line.bins[bin][kind] == 0) continue;
      spread(clocked.pe, kind, clocked.since_begin(line.origin + (bin << line.shift)),
             clocked.since_begin(line.origin + ((bin + 1) << line.shift)), clocked.seconds(line.bins[bin][kind]));
    }
  }
  for (std::uint32_t k = 0; k < part.waits.count; ++k) {
    const profile::Wait& wait = part.waits.list[k];
    waits_.push_back({clocked.pe, clocked.since_begin(wait.begin), clocked.seconds(wait.end - wait.begin),
                      places[wait.site % profile::kSites], wait.last});
  }
  const profile::Event* events = profile::events_of(&part, header.n_pes);
  const std::uint64_t kept = std::min<std::uint64_t>(part.traced, header.trace_room);
  for (std::uint64_t k = part.traced - kept; k < part.traced; ++k) {
    const profile::Event& event = events[k % header.trace_room];
    events_.push_back({clocked.pe, thread, clocked.since_begin(event.begin), clocked.seconds(event.end - event.begin),
                       places[event.site % profile::kSites], event.bytes, event.peer});
  }
}

void TimeLines::add_wait(const Wait& wait, Kind kind) {
  waits_.push_back(wait);
  spread(wait.pe, index_of(kind), wait.begin, wait.begin + wait.seconds, wait.seconds);
}

void TimeLines::give(Profile& profile) {
  profile.bin_seconds = bin_seconds_;
  for (int pe = 0; pe < n_pes_; ++pe) {
    Lane& lane = profile.lanes.emplace_back();
    // Several threads may be in Weft at the same time.
    const double whole = bin_seconds_ * std::max(1, profile.pes[static_cast<std::size_t>(pe)].threads);
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const double* row = &seconds_[(static_cast<std::size_t>(pe) * kKinds + kind) * bins_];
      if (std::all_of(row, row + bins_, [](double seconds) { return seconds == 0; })) continue;
      for (std::size_t bin = 0; bin < bins_; ++bin) {
        lane.shares[kind].push_back(static_cast<int>(std::lround(std::min(1.0, row[bin] / whole) * 1000)));
      }
    }
  }
  std::stable_sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) { return a.seconds > b.seconds; });
  if (waits_.size() > kWaitsTogether) waits_.resize(kWaitsTogether);
  profile.waits = std::move(waits_);
  std::stable_sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) { return a.begin < b.begin; });
  profile.events = std::move(events_);
}

}  // namespace weft::report
