#include "launch/hosts/frames.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <functional>

#include "launch/hosts/errand.hpp"

namespace weft::launch::hosts {
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

Errand made_up() {
  Errand errand;
  errand.ssh = {"ssh", "-x"};
  errand.agent = "/opt/weft/libexec/weft/weft-agent";
  errand.fanout = 3;
  errand.silence = 5;
  errand.token = 6;
  errand.key = {7, 8};
  errand.shares = {{"a", {0, 4}}, {"b", {1, 2, 5}}, {"c", {3}}};
  errand.parts = {{2, {"./x", "", "two words"}}, {4, {"y"}, "b", "/p:/q", {"C=2"}}};
  errand.environment = {"A=1", "B="};
  errand.directory = "/here";
  errand.work_dir = "there";
  errand.output_dir = "/out";
  errand.input = command::InputTo::kAll;
  errand.bind_to = "core";
  errand.map_by = "socket";
  errand.report_bindings = true;
  errand.by_mpiexec = true;
  return errand;
}

TEST(Errands, ComeBackAsTheyWere) {
  Errand got;
  const std::string packed = pack(made_up());
  ASSERT_TRUE(unpack(packed, got));
  EXPECT_EQ(pack(got), packed);
  EXPECT_EQ(got.ssh, made_up().ssh);
  EXPECT_EQ(got.key[1], 8U);
  EXPECT_EQ(got.shares[1].host, "b");
  EXPECT_EQ(got.shares[1].pes, (std::vector<int>{1, 2, 5}));
  EXPECT_EQ(got.parts[0].words, made_up().parts[0].words);
  EXPECT_EQ(got.environment, made_up().environment);
  EXPECT_EQ(got.input, command::InputTo::kAll);
  EXPECT_TRUE(got.report_bindings);
  EXPECT_TRUE(got.by_mpiexec);
  EXPECT_EQ(got.parts[1].work_dir + got.parts[1].path, "b/p:/q");
  EXPECT_EQ(got.parts[1].environment, made_up().parts[1].environment);
  EXPECT_EQ(got.n_pes(), 6);
}

TEST(Errands, ACutOneIsNone) {
  const std::string packed = pack(made_up());
  for (std::size_t bytes = 0; bytes < packed.size(); ++bytes) {
    Errand got;
    EXPECT_FALSE(unpack(std::string_view(packed).substr(0, bytes), got)) << bytes;
  }
  Errand got;
  EXPECT_FALSE(unpack(packed + "x", got));
}

TEST(Errands, OneWithoutSenseIsNone) {
  const auto is_taken = [](const std::function<void(Errand&)>& spoil) {
    Errand errand = made_up();
    spoil(errand);
    Errand got;
    return unpack(pack(errand), got);
  };
  EXPECT_TRUE(is_taken([](Errand&) {}));
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.shares[1].pes[0] = 0; })) << "twice";
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.shares[1].pes = {2, 1, 5}; })) << "not rising";
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.shares[1].pes[2] = 6; })) << "there are six";
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.shares[2].pes[0] = -3; }));
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.shares[2].pes.clear(); }));
  EXPECT_FALSE(is_taken([](Errand& errand) { std::swap(errand.shares[0], errand.shares[1]); })) << "input is PE 0's";
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.shares.clear(); }));
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.parts[0].n_pes = 3; }));
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.parts[1].words.clear(); }));
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.fanout = 0; }));
  EXPECT_FALSE(is_taken([](Errand& errand) { errand.input = static_cast<command::InputTo>(9); }));
  std::string packed = pack(made_up());
  packed.back() = 2;
  Errand got;
  EXPECT_FALSE(unpack(packed, got));
}

TEST(Errands, WordsOfACommand) {
  EXPECT_EQ(split_words("ssh"), std::vector<std::string>{"ssh"});
  EXPECT_EQ(split_words("  ssh -p  22 "), (std::vector<std::string>{"ssh", "-p", "22"}));
  EXPECT_TRUE(split_words("  ").empty());
}

}  // namespace
}  // namespace weft::launch::hosts
