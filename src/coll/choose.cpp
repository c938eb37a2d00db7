#include "coll/choose.hpp"

#include <cstring>
#include <iterator>

#include "coll/across/span.hpp"
#include "coll/ongoing.hpp"
#include "coll/party.hpp"
#include "group/notes.hpp"
#include "job/node.hpp"
#include "progress/work.hpp"
#include "reach/neighbours.hpp"

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

// Measured with bench/shmem/collectives.c at 2, 4 and 8 PEs on 2 processors, and at 2, 4, 8 and 16 with one each;
// docs/performance.md has the figures.
// Crowded, a PE that waits for another gives its processor away: what counts is how often anybody has to wait, so the
// fewest meetings win. With a processor each, a single writer is the bottleneck once there are more readers than a few.
constexpr Rule<BroadcastAlgorithm> kBroadcast[] = {
    {kAnyBytes, kAnySize, Place::kCrowded, BroadcastAlgorithm::linear_put},
    {65536, 2, Place::kAny, BroadcastAlgorithm::linear_put},
    {4096, 4, Place::kAny, BroadcastAlgorithm::linear_put},
    {2048, 8, Place::kAny, BroadcastAlgorithm::linear_put},
    {1024, 16, Place::kAny, BroadcastAlgorithm::linear_put},
    {4096, 16, Place::kAny, BroadcastAlgorithm::linear_get},
    {4096, kAnySize, Place::kAny, BroadcastAlgorithm::binomial_put},
    {kAnyBytes, kAnySize, Place::kAny, BroadcastAlgorithm::linear_get},
};
constexpr Rule<CollectAlgorithm> kCollect[] = {
    {kAnyBytes, kAnySize, Place::kAny, CollectAlgorithm::linear_put},
};
// Blocks that several members write into one line of each target make it go to and fro between their processors: with
// more than four of them each reads.
constexpr std::size_t kPartOfALine = 32;
constexpr Rule<CollectAlgorithm> kFcollect[] = {
    {kPartOfALine, 4, Place::kAny, CollectAlgorithm::linear_put},
    {kPartOfALine, kAnySize, Place::kUncrowded, CollectAlgorithm::linear_get},
    {kAnyBytes, kAnySize, Place::kAny, CollectAlgorithm::linear_put},
};
constexpr Rule<AlltoallAlgorithm> kAlltoall[] = {
    {kPartOfALine, 4, Place::kAny, AlltoallAlgorithm::pairwise_put},
    {kPartOfALine, kAnySize, Place::kUncrowded, AlltoallAlgorithm::pairwise_get},
    {kAnyBytes, kAnySize, Place::kAny, AlltoallAlgorithm::pairwise_put},
};
constexpr Rule<ReduceAlgorithm> kReduce[] = {
    {56, 16, Place::kAny, ReduceAlgorithm::words},
    {1024, 2, Place::kAny, ReduceAlgorithm::linear_get},
    {1024, 16, Place::kCrowded, ReduceAlgorithm::linear_get},
    {kAnyBytes, kAnySize, Place::kAny, ReduceAlgorithm::split_put},
};
constexpr Rule<ScanAlgorithm> kScan[] = {
    {4096, kAnySize, Place::kAny, ScanAlgorithm::linear_get},
    {kAnyBytes, kAnySize, Place::kAny, ScanAlgorithm::chain_put},
};

constexpr Rule<ReduceToAlgorithm> kReduceTo[] = {
    {56, kAnySize, Place::kAny, ReduceToAlgorithm::words},
    {4096, kAnySize, Place::kAny, ReduceToAlgorithm::alone},
    {kAnyBytes, 2, Place::kAny, ReduceToAlgorithm::alone},
    {kAnyBytes, kAnySize, Place::kAny, ReduceToAlgorithm::shares},
};
// Two pieces of a stage take as many meetings as showing addresses does; from there on one copy of two is saved, which
// is worth more than the system call (record 0036).
constexpr Rule<PullAlgorithm> kPull[] = {
    {2 * Party::kLeastStagedBytes - 1, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
// With a processor each, readers of the same pages at once hold each other up in the kernel: 16 of 1 MiB took 7 times
// as long as a copy out of a stage, which is in everybody's caches.
constexpr Rule<PullAlgorithm> kPullOne[] = {
    {2 * Party::kLeastStagedBytes - 1, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, 2, Place::kAny, PullAlgorithm::shown},
    {kAnyBytes, kAnySize, Place::kUncrowded, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
// Out of large stages, which members that share processors have (record 0141). A copy in their caches takes a quarter
// of what the kernel's takes, and a piece one meeting; but what is staged goes to the other processors twice, so long
// sources of many readers are read where they lie, and those of one root already where few would wait for more
// meetings.
constexpr std::size_t kPiece = kLargeStageBytes / 2;
constexpr int kFew = 4;
constexpr Rule<PullAlgorithm> kPullLarge[] = {
    {4 * kPiece, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
constexpr Rule<PullAlgorithm> kPullCombinedLarge[] = {
    {16 * kPiece, kFew, Place::kAny, PullAlgorithm::staged},
    {4 * kPiece, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
constexpr Rule<PullAlgorithm> kPullOneLarge[] = {
    {kPiece / 4, kFew, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kFew, Place::kAny, PullAlgorithm::shown},
    {kPiece, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
constexpr Rule<PullAlgorithm> kPullPartsLarge[] = {
    {kPiece, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
// Read where they lie each member would combine all that lies before it; in slices the work is shared out (record
// 0156).
constexpr Rule<PullAlgorithm> kPullPrefixesLarge[] = {
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::staged},
};
// Of parts of one length a slice of each goes through at a time (record 0148): two copies of each, so longer ones are
// read where they lie (record 0165).
constexpr Rule<PullAlgorithm> kPullEvenPartsLarge[] = {
    {kPiece, kFew, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kFew, Place::kAny, PullAlgorithm::shown},
    {2 * kPiece, kAnySize, Place::kAny, PullAlgorithm::staged},
    {kAnyBytes, kAnySize, Place::kAny, PullAlgorithm::shown},
};
// A part that is copied in less time than the system call takes for it is read out of the stages.
constexpr std::size_t kSmallPart = 1024;

// 0 is "auto", else one more than the algorithm's number.
struct Choices {
  std::uint8_t broadcast, collect, fcollect, alltoall, alltoalls, reduce, scan, reduce_to, pull;
};
constinit Choices g_choices{};

// Whose choices the PEs compare.
struct Family {
  const char* identifier;
  const char* variable;
};
constexpr Family kFamilies[] = {{"coll_barrier", "WEFT_COLL_BARRIER"},
                                {"coll_broadcast", "WEFT_COLL_BROADCAST"},
                                {"coll_collect", "WEFT_COLL_COLLECT"},
                                {"coll_fcollect", "WEFT_COLL_FCOLLECT"},
                                {"coll_alltoall", "WEFT_COLL_ALLTOALL"},
                                {"coll_alltoalls", "WEFT_COLL_ALLTOALLS"},
                                {"coll_reduce", "WEFT_COLL_REDUCE"},
                                {"coll_scan", "WEFT_COLL_SCAN"},
                                {"amo", "WEFT_AMO"},
                                {"coll_reduce_to", "WEFT_COLL_REDUCE_TO"},
                                {"coll_pull", "WEFT_COLL_PULL"}};
constexpr unsigned kBits = 5;  // of each of them in a word

template <class Algorithm, std::size_t rules>
Algorithm choose(std::uint8_t choice, const Rule<Algorithm> (&table)[rules], std::size_t bytes, int size) noexcept {
  if (choice != 0) {
    return static_cast<Algorithm>(choice - 1);
  }
  const Place here = job::node().crowded ? Place::kCrowded : Place::kUncrowded;
  for (const Rule<Algorithm>& rule : table) {
    if (bytes <= rule.bytes && size <= rule.size && (rule.place == Place::kAny || rule.place == here)) {
      return rule.algorithm;
    }
  }
  return table[rules - 1].algorithm;
}

// What auto has become counts: the operations of PEs that take different ways are not atomic against each other.
std::uint8_t way_of_atomics() noexcept {
  const job::Node& node = job::node();
  const base::Amo way = node.amo_by_network ? base::Amo::kNetwork : base::Amo::kCpu;
  return node.job->n_nodes == 1 ? 0 : static_cast<std::uint8_t>(way);
}

// In the order of kFamilies.
std::uint64_t packed(const base::Options& options) noexcept {
  const std::uint8_t choices[] = {
      options.coll_barrier.choice,   options.coll_broadcast.choice, options.coll_collect.choice,
      options.coll_fcollect.choice,  options.coll_alltoall.choice,  options.coll_alltoalls.choice,
      options.coll_reduce.choice,    options.coll_scan.choice,      way_of_atomics(),
      options.coll_reduce_to.choice, options.coll_pull.choice};
  static_assert(std::size(choices) == std::size(kFamilies) && kBits * std::size(choices) <= 64);
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < std::size(choices); ++k) {
    word |= std::uint64_t{choices[k]} << kBits * k;
  }
  return word;
}

sync::BarrierKind barrier_kind(std::uint8_t choice) noexcept {
  const bool gate = choice == 0 ? job::node().crowded
                                : BarrierAlgorithm{static_cast<std::uint8_t>(choice - 1)} == BarrierAlgorithm::gate;
  return gate ? sync::BarrierKind::kGate : sync::BarrierKind::kDissemination;
}

// Those of PE 0.
std::uint64_t choices_of_first(std::uint64_t mine) noexcept {
  if (group::world().span == nullptr) {
    return job::shared_pe(job::node().job, 0).choices.load(std::memory_order_relaxed);
  }
  Party party(group::world());
  std::uint64_t word = mine;
  across::combine_words(
      party, &word, 1, +[](void* into, const void* with, const void*, std::size_t count, void*) noexcept {
        std::memmove(into, with, count * sizeof(std::uint64_t));
      });
  return word;
}

std::size_t choice_in(std::uint64_t word, std::size_t family) noexcept {
  return word >> kBits * family & ((std::size_t{1} << kBits) - 1);
}

[[gnu::cold]] base::Error disagreement(std::uint64_t mine, std::uint64_t first) noexcept {
  std::size_t which = 0;
  while (choice_in(mine, which) == choice_in(first, which)) {
    ++which;
  }
  const char* const* names = base::option_choices(kFamilies[which].identifier);
  return base::Error::make("%s is %s here but %s on PE 0; start all PEs with the same value", kFamilies[which].variable,
                           names[choice_in(mine, which)], names[choice_in(first, which)]);
}

constinit progress::IdleWork g_ongoing{.what = progress};

}  // namespace

void set_up(const base::Options& options) noexcept {
  g_choices = {options.coll_broadcast.choice, options.coll_collect.choice,   options.coll_fcollect.choice,
               options.coll_alltoall.choice,  options.coll_alltoalls.choice, options.coll_reduce.choice,
               options.coll_scan.choice,      options.coll_reduce_to.choice, options.coll_pull.choice};
  const job::Node& node = job::node();
  reach::neighbours().set_up({.cards = job::shared_pe(node.job, 0).reach_card,
                              .distance = boot::kSyncBytesPerPe,
                              .count = node.n_local,
                              .me = node.local,
                              .choice = options.single_copy_by(),
                              .family = node.job->launcher_pid});
  progress::add_idle_work(g_ongoing);
  // Relaxed: the barrier of shmem_init publishes it.
  job::shared_pe(node.job, node.local).choices.store(packed(options), std::memory_order_relaxed);
  // That barrier must work before anybody knows whether all were told the same. Changing the kind between two barriers
  // is harmless: all of a domain count alike, and episodes only grow.
  group::set_barrier_kind(barrier_kind(0));
}

base::Result<void> agree(const base::Options& options) noexcept {
  const std::uint64_t mine = packed(options);
  const std::uint64_t first = choices_of_first(mine);
  if (mine != first) [[unlikely]] {
    return disagreement(mine, first);
  }
  group::set_barrier_kind(barrier_kind(options.coll_barrier.choice));
  return {};
}

bool on_any_pe(bool here) noexcept {
  if (group::world().span == nullptr) {
    return here;
  }
  Party party(group::world());
  std::uint64_t word = here ? 1 : 0;
  across::combine_words(party, &word, 1, across::larger_words);
  group::count_calls_anew();  // as after the barrier of shmem_init
  return word != 0;
}

BroadcastAlgorithm broadcast_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.broadcast, kBroadcast, bytes, size);
}
CollectAlgorithm collect_algorithm(int size) noexcept { return choose(g_choices.collect, kCollect, 0, size); }
CollectAlgorithm fcollect_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.fcollect, kFcollect, bytes, size);
}
AlltoallAlgorithm alltoall_algorithm(std::size_t bytes, int size, bool strided) noexcept {
  return choose(strided ? g_choices.alltoalls : g_choices.alltoall, kAlltoall, bytes, size);
}
ReduceAlgorithm reduce_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.reduce, kReduce, bytes, size);
}
bool nobody_chose_fcollect() noexcept { return g_choices.fcollect == 0; }
bool nobody_chose_alltoall() noexcept { return g_choices.alltoall == 0; }
bool nobody_chose_reduce() noexcept { return g_choices.reduce == 0; }
bool nobody_chose_pull() noexcept { return g_choices.pull == 0 && g_choices.reduce_to == 0; }
ScanAlgorithm scan_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.scan, kScan, bytes, size);
}

ReduceToAlgorithm reduce_to_algorithm(std::size_t bytes, int size) noexcept {
  return choose(g_choices.reduce_to, kReduceTo, bytes, size);
}
PullAlgorithm pull_algorithm(Reads reads, std::size_t bytes, int size, bool large_stages) noexcept {
  if ((reads == Reads::parts || reads == Reads::even_parts) && bytes / static_cast<std::size_t>(size) <= kSmallPart) {
    bytes = 0;
  }
  if (!large_stages) {
    return reads == Reads::one ? choose(g_choices.pull, kPullOne, bytes, size)
                               : choose(g_choices.pull, kPull, bytes, size);
  }
  switch (reads) {
    case Reads::all: break;
    case Reads::combined: return choose(g_choices.pull, kPullCombinedLarge, bytes, size);
    case Reads::prefixes: return choose(g_choices.pull, kPullPrefixesLarge, bytes, size);
    case Reads::one: return choose(g_choices.pull, kPullOneLarge, bytes, size);
    case Reads::parts: return choose(g_choices.pull, kPullPartsLarge, bytes, size);
    case Reads::even_parts: return choose(g_choices.pull, kPullEvenPartsLarge, bytes, size);
  }
  return choose(g_choices.pull, kPullLarge, bytes, size);
}

}  // namespace weft::coll
