#include "coll/choose.hpp"

#include <gtest/gtest.h>

#include "job/node.hpp"

namespace weft::coll {
namespace {

class Crowded {
 public:
  explicit Crowded(bool crowded) : before_(job::node().crowded) { job::g_node.crowded = crowded; }
  ~Crowded() { job::g_node.crowded = before_; }
  Crowded(const Crowded&) = delete;
  Crowded& operator=(const Crowded&) = delete;

 private:
  bool before_;
};

constexpr std::size_t kLarge = std::size_t{1} << 20;

TEST(Pulls, ManyReadersOfOneSourceCopyItOutOfAStage) {
  const Crowded crowded(false);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 2), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 3), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 16), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::all, kLarge, 16), PullAlgorithm::shown);
}

TEST(Pulls, FewerMeetingsCountWherePesShareProcessors) {
  const Crowded crowded(true);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 16), PullAlgorithm::shown);
}

TEST(Rules, BlocksOfOneLineAreReadByMoreThanFour) {
  const Crowded crowded(false);
  EXPECT_EQ(fcollect_algorithm(8, 4), CollectAlgorithm::linear_put);
  EXPECT_EQ(fcollect_algorithm(8, 8), CollectAlgorithm::linear_get);
  EXPECT_EQ(fcollect_algorithm(1024, 16), CollectAlgorithm::linear_put);
  EXPECT_EQ(alltoall_algorithm(8, 8, false), AlltoallAlgorithm::pairwise_get);
  EXPECT_EQ(alltoall_algorithm(1024, 16, false), AlltoallAlgorithm::pairwise_put);
}

TEST(Rules, ARootWritesLessTheMoreThereAre) {
  const Crowded crowded(false);
  EXPECT_EQ(broadcast_algorithm(65536, 2), BroadcastAlgorithm::linear_put);
  EXPECT_EQ(broadcast_algorithm(65536, 4), BroadcastAlgorithm::linear_get);
  EXPECT_EQ(broadcast_algorithm(1024, 16), BroadcastAlgorithm::linear_put);
  EXPECT_EQ(broadcast_algorithm(4096, 16), BroadcastAlgorithm::linear_get);
  EXPECT_EQ(reduce_algorithm(1024, 16), ReduceAlgorithm::split_put);
}

TEST(Rules, StayWherePesShareProcessors) {
  const Crowded crowded(true);
  EXPECT_EQ(fcollect_algorithm(8, 16), CollectAlgorithm::linear_put);
  EXPECT_EQ(alltoall_algorithm(8, 16, false), AlltoallAlgorithm::pairwise_put);
  EXPECT_EQ(broadcast_algorithm(65536, 4), BroadcastAlgorithm::linear_put);
  EXPECT_EQ(reduce_algorithm(1024, 16), ReduceAlgorithm::linear_get);
}

TEST(Pulls, SmallPartsAreNotWorthACallEach) {
  EXPECT_EQ(pull_algorithm(Reads::parts, 64 * std::size_t{1024}, 64), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::parts, 16 * std::size_t{8192}, 16), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::parts, 2 * std::size_t{8192}, 2), PullAlgorithm::shown);
}

}  // namespace
}  // namespace weft::coll
