#include "profile/files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "os/recorded.hpp"
#include "support/leftovers.hpp"

namespace weft::profile {
namespace {

class Files : public testing::Test {
 protected:
  std::uintmax_t size() const { return std::filesystem::file_size(folder_ + "/pe.1.weft"); }
  const test::TemporaryDirectory temporary_;
  const std::string& folder_ = temporary_.path();
};

TEST_F(Files, ARecordingGrowsByParts) {
  const auto header = make_recording(folder_.c_str(), 1, 4, 0);
  ASSERT_TRUE(header) << header.error().text();
  EXPECT_EQ(size(), kHeaderBytes);
  EXPECT_EQ((*header)->magic, kMagic);
  EXPECT_EQ((*header)->n_pes, 4);
  ThreadPart* first = add_part(folder_.c_str(), *header);
  ThreadPart* second = add_part(folder_.c_str(), *header);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  EXPECT_EQ(size(), kHeaderBytes + 2 * part_bytes(4, 0));
  EXPECT_EQ(first->inside_site, kNotInside);
}

TEST_F(Files, ThereIsAnEndToThreads) {
  const auto header = make_recording(folder_.c_str(), 1, 1, 0);
  ASSERT_TRUE(header);
  (*header)->parts = kMaxThreads;
  EXPECT_EQ(add_part(folder_.c_str(), *header), nullptr);
}

TEST_F(Files, AnEarlierRecordingIsOverwritten) {
  const auto before = make_recording(folder_.c_str(), 1, 4, 0);
  ASSERT_TRUE(before);
  (*before)->heap_peak = 99;
  ASSERT_NE(add_part(folder_.c_str(), *before), nullptr);
  const auto header = make_recording(folder_.c_str(), 1, 4, 0);
  ASSERT_TRUE(header);
  EXPECT_EQ((*header)->heap_peak, 0U);
  EXPECT_EQ(size(), kHeaderBytes);
}

TEST_F(Files, AllPesShareTheMeetings) {
  const auto one = open_meetings(folder_.c_str());
  const auto other = open_meetings(folder_.c_str());
  ASSERT_TRUE(one && other);
  (*one)->origin = 42;
  EXPECT_EQ((*other)->origin.load(), 42U);
  forget_meetings(folder_.c_str());
  const auto anew = open_meetings(folder_.c_str());
  ASSERT_TRUE(anew);
  EXPECT_EQ((*anew)->origin.load(), 0U);
}

TEST_F(Files, SaysWhatIsWrongWithTheFolder) {
  EXPECT_TRUE(os::make_folder(folder_.c_str()));
  const auto below = os::make_folder((folder_ + "/a/b").c_str());
  ASSERT_FALSE(below);
  EXPECT_NE(std::string(below.error().text()).find("/a/b: No such file"), std::string::npos) << below.error().text();
  const auto nowhere = make_recording("/nowhere", 0, 1, 0);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(std::string(nowhere.error().text()).find("/nowhere/pe.0.weft"), std::string::npos);
}

}  // namespace
}  // namespace weft::profile
