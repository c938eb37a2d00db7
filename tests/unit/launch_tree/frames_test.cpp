#include "launch/tree/frames.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace weft::launch::tree {
namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Frames, ComeAsTheyWereSentHoweverTheBytesCome) {
  std::string bytes = greeting();
  put_frame(bytes, FrameKind::kGo, kAllNodes, "heap");
  put_frame(bytes, FrameKind::kBeat, 3, "");
  put_frame(bytes, FrameKind::kOutput, 7, std::string(100'000, 'x'));
  for (const std::size_t step : {std::size_t{1}, std::size_t{13}, bytes.size()}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.add(std::string_view(bytes).substr(at, step));
      while (std::optional<Frame> frame = reader.next()) frames.push_back(std::move(*frame));
    }
    EXPECT_EQ(reader.problem(), "");
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].kind, FrameKind::kGo);
    EXPECT_EQ(frames[0].node, kAllNodes);
    EXPECT_EQ(frames[0].payload, "heap");
    EXPECT_EQ(frames[1].kind, FrameKind::kBeat);
    EXPECT_EQ(frames[1].node, 3U);
    EXPECT_EQ(frames[2].payload.size(), 100'000U);
  }
}

TEST(Frames, AStreamThatDoesNotGreetIsRefused) {
  FrameReader reader;
  reader.add("Welcome to node7!\nHave fun\n");
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.greeted());
  EXPECT_TRUE(has(reader.problem(), "answered \"Welcome to node7!\" instead of weft-agent's greeting"))
      << reader.problem();
}

TEST(Frames, AnotherBuildIsRefused) {
  std::string theirs = greeting();
  theirs[12] = static_cast<char>(theirs[12] + 1);  // the layout
  FrameReader reader;
  reader.add(theirs);
  put_frame(theirs, FrameKind::kGo, 0, "");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(has(reader.problem(), "install the same Weft on all hosts")) << reader.problem();
}

TEST(Frames, DamagedFramesAreRefused) {
  std::string bytes = greeting();
  bytes += std::string(12, '\xff');
  FrameReader reader;
  reader.add(bytes);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.greeted());
  EXPECT_TRUE(has(reader.problem(), "damaged")) << reader.problem();
}

TEST(Frames, ValuesAndTextsComeBack) {
  const std::string bytes = Packer().put(7).text("a text").put(std::uint64_t{1} << 40).raw("rest").bytes();
  Unpacker from(bytes);
  EXPECT_EQ(from.get<int>(), 7);
  EXPECT_EQ(from.text(), "a text");
  EXPECT_EQ(from.get<std::uint64_t>(), std::uint64_t{1} << 40);
  EXPECT_EQ(from.rest(), "rest");
  EXPECT_TRUE(from.fine());
}

TEST(Frames, PastTheEndThereIsNothing) {
  Unpacker from("ab");
  EXPECT_EQ(from.get<int>(), 0);
  EXPECT_FALSE(from.fine());
  EXPECT_EQ(from.text(), "");
  const std::string long_text = Packer().put(std::uint32_t{1000}).raw("short").bytes();
  Unpacker text(long_text);
  EXPECT_EQ(text.text(), "");
  EXPECT_FALSE(text.fine());
}

}  // namespace
}  // namespace weft::launch::tree
