#include "coll/choose.hpp"

#include <array>
#include <span>

#include "coll/request.hpp"
#include "rma/node.hpp"
#include "rma/team.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kAnyBytes = SIZE_MAX;
constexpr int kAnySize = INT32_MAX;

enum class Place : std::uint8_t { kAny, kCrowded, kUncrowded };  // more PEs than processors, or not

/// For calls of at most so many bytes, over at most so many members.
template <class Algorithm>
struct Rule {
  std::size_t bytes;
  int size;
  Place place;
  Algorithm algorithm;
};

// Crowded, a PE that waits for another gives its processor away: what counts is how often anybody has to wait, so the
// fewest meetings win. With a processor each, reading is shared by all, and a single writer is the bottleneck.
constexpr Rule<BroadcastAlgorithm> kBroadcast[] = {
    {kAnyBytes, kAnySize, Place::kCrowded, BroadcastAlgorithm::linear_put},
    {4096, 16, Place::kAny, BroadcastAlgorithm::linear_put},
    {4096, kAnySize, Place::kAny, BroadcastAlgorithm::binomial_put},
    {kAnyBytes, kAnySize, Place::kAny, BroadcastAlgorithm::linear_get},
};
constexpr Rule<CollectAlgorithm> kCollect[] = {
    {kAnyBytes, kAnySize, Place::kAny, CollectAlgorithm::linear_put},
};
constexpr Rule<CollectAlgorithm> kFcollect[] = {
    {kAnyBytes, kAnySize, Place::kCrowded, CollectAlgorithm::linear_put},
    {65536, kAnySize, Place::kAny, CollectAlgorithm::linear_put},
    {kAnyBytes, kAnySize, Place::kAny, CollectAlgorithm::linear_get},
};
constexpr Rule<AlltoallAlgorithm> kAlltoall[] = {
    {kAnyBytes, kAnySize, Place::kAny, AlltoallAlgorithm::pairwise_put},
};
constexpr Rule<ReduceAlgorithm> kReduce[] = {
    {64, 16, Place::kUncrowded, ReduceAlgorithm::words},
    {1024, 16, Place::kAny, ReduceAlgorithm::linear_get},
    {kAnyBytes, kAnySize, Place::kAny, ReduceAlgorithm::split_put},
};
constexpr Rule<ScanAlgorithm> kScan[] = {
    {4096, kAnySize, Place::kAny, ScanAlgorithm::linear_get},
    {kAnyBytes, kAnySize, Place::kAny, ScanAlgorithm::chain_put},
};

// 0 is "auto", else one more than the algorithm's number.
struct Choices {
  std::uint8_t broadcast, collect, fcollect, alltoall, alltoalls, reduce, scan;
};
constinit Choices g_choices{};

template <class Algorithm, std::size_t rules>
Algorithm choose(std::uint8_t choice, const Rule<Algorithm> (&table)[rules], std::size_t bytes, int size) noexcept {
  if (choice != 0) {
    return static_cast<Algorithm>(choice - 1);
  }
  const Place here = rma::node().crowded ? Place::kCrowded : Place::kUncrowded;
  for (const Rule<Algorithm>& rule : table) {
    if (bytes <= rule.bytes && size <= rule.size && (rule.place == Place::kAny || rule.place == here)) {
      return rule.algorithm;
    }
  }
  return table[rules - 1].algorithm;
}

}  // namespace

void set_up(const base::Options& options) noexcept {
  g_choices = {options.coll_broadcast.choice, options.coll_collect.choice,   options.coll_fcollect.choice,
               options.coll_alltoall.choice,  options.coll_alltoalls.choice, options.coll_reduce.choice,
               options.coll_scan.choice};
  rma::node().patience.idle = progress;
  const std::uint8_t barrier = options.coll_barrier.choice;
  const bool gate = barrier == 0 ? rma::node().crowded
                                 : BarrierAlgorithm{static_cast<std::uint8_t>(barrier - 1)} == BarrierAlgorithm::gate;
  rma::set_barrier_kind(gate ? sync::BarrierKind::kGate : sync::BarrierKind::kDissemination);
}

BroadcastAlgorithm broadcast_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.broadcast, kBroadcast, bytes, size);
}
CollectAlgorithm collect_algorithm(int size) noexcept { return choose(g_choices.collect, kCollect, 0, size); }
CollectAlgorithm fcollect_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.fcollect, kFcollect, bytes, size);
}
AlltoallAlgorithm alltoall_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.alltoall, kAlltoall, bytes, size);
}
AlltoallAlgorithm alltoalls_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.alltoalls, kAlltoall, bytes, size);
}
ReduceAlgorithm reduce_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.reduce, kReduce, bytes, size);
}
ScanAlgorithm scan_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.scan, kScan, bytes, size);
}

}  // namespace weft::coll
