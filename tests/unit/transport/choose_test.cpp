#include "transport/choose.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace weft::transport {
namespace {

bool yes() noexcept { return true; }

Leaf choose(base::Net net, const char* provider = nullptr) {
  base::Options options;
  options.net.choice = static_cast<std::uint8_t>(net);
  options.ofi_provider.value = provider;
  return choose_leaf(options, yes);
}

class Choose : public testing::Test {
  void SetUp() override { (void)::unsetenv("FI_PROVIDER"); }
  void TearDown() override { (void)::unsetenv("FI_PROVIDER"); }
};

TEST_F(Choose, DoesAsItIsTold) {
  EXPECT_EQ(choose(base::Net::kTcp, "verbs;ofi_rxm"), Leaf::kTcp);
  EXPECT_EQ(choose(base::Net::kOfi), Leaf::kOfi);
}

TEST_F(Choose, ANamedProviderIsLibfabrics) {
  EXPECT_EQ(choose(base::Net::kBest, "tcp;ofi_rxm"), Leaf::kOfi);
  (void)::setenv("FI_PROVIDER", "tcp", 1);
  EXPECT_EQ(choose(base::Net::kBest), Leaf::kOfi);
  (void)::setenv("FI_PROVIDER", "", 1);
  base::Options options;
  EXPECT_EQ(choose_leaf(options, []() noexcept { return false; }), Leaf::kTcp);
}

TEST_F(Choose, OnlyAProviderWithANetworkOfItsOwnIsFaster) {
  const auto offers = std::make_unique<Offers>();
  const auto offer = [&](const char* name, bool chosen) {
    Offer& made = offers->offers[offers->n++];
    (void)std::snprintf(made.name, sizeof made.name, "%s", name);
    made.chosen = chosen;
  };
  EXPECT_FALSE(is_faster_than_tcp(*offers)) << "it offers nothing";
  offer("verbs;ofi_rxm", false);
  offer("tcp;ofi_rxm", true);
  EXPECT_FALSE(is_faster_than_tcp(*offers));
  offers->offers[1].chosen = false;
  offers->offers[0].chosen = true;
  EXPECT_TRUE(is_faster_than_tcp(*offers));
}

}  // namespace
}  // namespace weft::transport
