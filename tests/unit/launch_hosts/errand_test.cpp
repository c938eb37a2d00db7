#include "launch/hosts/errand.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::launch::hosts {
namespace {

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

TEST(Errands, PesAtOneDistanceTakeNoRoom) {
  Errand errand = made_up();
  errand.shares = {{"a", {}}, {"b", {}}};
  for (int pe = 0; pe < 4000; ++pe) errand.shares[static_cast<std::size_t>(pe % 2)].pes.push_back(pe);
  errand.parts[1].n_pes = 3998;
  const std::string packed = pack(errand);
  EXPECT_LT(packed.size(), 400U);
  Errand got;
  ASSERT_TRUE(unpack(packed, got));
  EXPECT_EQ(got.shares[1].pes, errand.shares[1].pes);
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
