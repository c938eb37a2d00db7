#include "omp/sites/sites.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "omp/decode/decode.hpp"

namespace {

using namespace weft::omp::sites;

class Oddities : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in(WEFT_ODDITIES, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    bytes_.resize(text.size());
    std::memcpy(bytes_.data(), text.data(), text.size());
    const auto found = find_functions(bytes_);
    ASSERT_TRUE(found) << found.error().text();
    functions_ = *found;
    sites_ = find_sites(bytes_, functions_, weft::omp::decode::decode);
    library_ = ::dlopen(WEFT_ODDITIES, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << ::dlerror();
  }
  void TearDown() override { (void)::dlclose(library_); }

  std::uint64_t at(const char* name) const {
    link_map* map = nullptr;
    (void)::dlinfo(library_, RTLD_DI_LINKMAP, &map);
    return reinterpret_cast<std::uint64_t>(::dlsym(library_, name)) - map->l_addr;
  }
  const Site* site(const char* name, unsigned behind = 0) const {
    for (const Site& each : sites_.sites) {
      if (each.at == at(name) + behind) {
        return &each;
      }
    }
    return nullptr;
  }
  unsigned taken(const char* name) const {
    const Site* const found = site(name);
    return found != nullptr ? found->taken : 0;
  }
  bool is_unclear(const char* name) const {
    return std::count(sites_.unclear.begin(), sites_.unclear.end(), at(name)) == 1;
  }

  std::vector<std::byte> bytes_;
  Functions functions_;
  Sites sites_;
  void* library_ = nullptr;
};

TEST_F(Oddities, WhatFollowsGoesAlongWhereNobodyComesIn) {
  EXPECT_EQ(taken("plain"), 5u);
  EXPECT_EQ(taken("jumper"), 5u);
  EXPECT_EQ(taken("cell"), 5u);
  EXPECT_EQ(taken("loop"), 6u);
  ASSERT_EQ(site("loop")->n_moved, 1);
  EXPECT_EQ(site("loop")->moved[0].target, at("loop"));
}

TEST_F(Oddities, WhereSomebodyMayTheInstructionIsAlone) {
  for (const char* name : {"target", "jumped", "table", "part", "entry", "landing"}) {
    EXPECT_EQ(taken(name), 3u) << name;
  }
}

TEST_F(Oddities, WhatCannotMoveStays) {
  for (const char* name : {"relative", "call", "end"}) {
    EXPECT_EQ(taken(name), 3u) << name;
  }
}

TEST_F(Oddities, FunctionsWithDataAreNotUnderstood) {
  EXPECT_TRUE(is_unclear("data"));
  EXPECT_TRUE(is_unclear("bad_bytes"));
  EXPECT_EQ(sites_.unclear.size(), 2u);
  EXPECT_EQ(site("bad_bytes"), nullptr);
}

TEST_F(Oddities, OtherKinds) {
  ASSERT_NE(site("cmpxchg"), nullptr);
  EXPECT_EQ(site("cmpxchg")->is.form, Form::kCompareExchange);
  EXPECT_EQ(site("cmpxchg")->is.displacement, 8);
  ASSERT_NE(site("fences"), nullptr);
  EXPECT_EQ(site("fences")->is.kind, Kind::kFence);
  ASSERT_NE(site("fences", 3), nullptr);
  EXPECT_EQ(site("fences", 3)->is.kind, Kind::kFence);
  EXPECT_EQ(site("registers"), nullptr);
}

// Nothing of a file is believed: whatever is cut off or changed, ranges are code of the file.
TEST_F(Oddities, BrokenFilesGiveRangesOfTheFile) {
  const auto look = [](const std::vector<std::byte>& file) {
    const auto found = find_functions(file);
    if (!found) {
      return;
    }
    std::uint64_t end = 0;
    for (const Function& each : found->ranges) {
      ASSERT_GE(each.from, end);
      ASSERT_GT(each.to, each.from);
      ASSERT_GE(loaded_at(file, each.from).size(), each.to - each.from);
      end = each.to;
    }
    (void)find_sites(file, *found, weft::omp::decode::decode);
  };
  for (std::size_t size = 0; size < bytes_.size(); size += 97) {
    look({bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size)});
  }
  for (std::size_t k = 0; k < bytes_.size(); k += 7) {
    auto changed = bytes_;
    changed[k] = static_cast<std::byte>(~static_cast<unsigned>(changed[k]));
    look(changed);
  }
  EXPECT_FALSE(find_functions({}));
}

}  // namespace
