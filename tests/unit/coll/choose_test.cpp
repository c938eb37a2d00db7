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

TEST(Pulls, SmallPartsAreNotWorthACallEach) {
  EXPECT_EQ(pull_algorithm(Reads::parts, 64 * std::size_t{1024}, 64), PullAlgorithm::staged);
  EXPECT_EQ(pull_algorithm(Reads::parts, 16 * std::size_t{8192}, 16), PullAlgorithm::shown);
  EXPECT_EQ(pull_algorithm(Reads::parts, 2 * std::size_t{8192}, 2), PullAlgorithm::shown);
}

}  // namespace
}  // namespace weft::coll
