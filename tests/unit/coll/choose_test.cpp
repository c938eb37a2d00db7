#include "coll/choose.hpp"

#include <gtest/gtest.h>

#include "coll/stage.hpp"
#include "group/team.hpp"
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
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 2, false), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 3, false), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 16, false), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::all, kLarge, 16, false), PullAlgorithm::shown);
}

TEST(Pulls, FewerMeetingsCountWherePesShareProcessors) {
  const Crowded crowded(true);
  EXPECT_EQ(pull_algorithm(Reads::one, kLarge, 16, false), PullAlgorithm::shown);
}

TEST(Pulls, MoreComesOutOfLargeStages) {
  const Crowded crowded(true);
  constexpr std::size_t kPiece = kLargeStageBytes / 2;
  EXPECT_EQ(pull_algorithm(Reads::all, 4 * kPiece, 8, true), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::all, 4 * kPiece, 8, false), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::all, kLarge, 4, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::combined, kLarge, 4, true), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::combined, kLarge, 8, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::combined, kLarge + 1, 4, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::combined, kPiece, 4, false), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::one, kPiece, 4, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::one, kPiece, 8, true), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::one, kPiece + 1, 8, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::parts, kPiece, 4, true), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::parts, kPiece + 1, 8, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::even_parts, kPiece, 4, true), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::even_parts, kPiece + 1, 4, true), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::even_parts, 2 * kPiece, 8, true), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::even_parts, 2 * kPiece + 1, 8, true), PullAlgorithm::shown);
}

// The stages of no two stations, and of no two members, overlap.
TEST(Stages, OfTheFirstTeamsLieInThoseThatNobodyUses) {
  boot::JobHeader job{};
  job.n_pes = 3;
  const std::byte* const spare = boot::stage_bytes(&job, boot::kTeamSlots + boot::kSpareSlots, 0);
  const std::byte* const end = boot::stage_bytes(&job, boot::kStations, 0);
  EXPECT_EQ(stage_of(&job, 0, 0, true), spare);
  EXPECT_EQ(stage_of(&job, 0, 1, true), spare + kLargeStageBytes);
  EXPECT_EQ(stage_of(&job, 1, 0, true), spare + 3 * kLargeStageBytes);
  EXPECT_LE(stage_of(&job, kLargeStages - 1, 2, true) + kLargeStageBytes, end);
  EXPECT_EQ(stage_of(&job, 5, 2, false), boot::stage_bytes(&job, 5, 2));
}

TEST(Stages, StreamsLieBehindThem) {
  boot::JobHeader job{};
  job.n_pes = 3;
  const std::byte* const end = boot::stage_bytes(&job, boot::kStations, 0);
  EXPECT_EQ(stream_of(&job, 0, 0), stage_of(&job, kLargeStages - 1, 2, true) + kLargeStageBytes);
  EXPECT_EQ(stream_of(&job, 1, 1), stream_of(&job, 0, 0) + 4 * kStreamBytes);
  EXPECT_LE(stream_of(&job, kLargeStages - 1, 2) + kStreamBytes, end);
  EXPECT_TRUE(has_stream(kLargeStages - 1));
  EXPECT_FALSE(has_stream(kLargeStages));
}

TEST(Stages, AreSmallWhereMembersHaveProcessorsOrCameLate) {
  const Crowded crowded(true);
  EXPECT_TRUE(has_large_stage(group::kWorldSlot));
  EXPECT_FALSE(has_large_stage(kLargeStages));
  const Crowded uncrowded(false);
  EXPECT_FALSE(has_large_stage(group::kWorldSlot));
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
  EXPECT_EQ(pull_algorithm(Reads::parts, 64 * std::size_t{1024}, 64, false), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::parts, 16 * std::size_t{8192}, 16, false), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::parts, 2 * std::size_t{8192}, 2, false), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::even_parts, 64 * std::size_t{1024}, 64, false), PullAlgorithm::staged);
}

}  // namespace
}  // namespace weft::coll
