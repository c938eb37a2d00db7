// PEs of one process, with a store of the test's own.
#include "pmi/node.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace weft::pmi {
namespace {

using Store = std::map<std::pair<int, std::string>, std::vector<std::byte>>;

class Kept final : public Manager {
 public:
  Kept(Store& store, int rank, int size) : store_(store) {
    rank_ = rank;
    size_ = size;
  }
  const char* name() const noexcept override { return "test"; }
  const char* job_name() const noexcept override { return "test"; }
  base::Result<void> put(const char* key, std::span<const std::byte> value) noexcept override {
    store_[{rank_, key}] = {value.begin(), value.end()};
    return {};
  }
  base::Result<void> fence() noexcept override { return {}; }
  bool fence_within(int /*milliseconds*/) noexcept override { return true; }
  base::Result<void> get(int pe, const char* key, std::span<std::byte> value) noexcept override {
    const auto found = store_.find({pe, key});
    if (found == store_.end() || found->second.size() != value.size()) {
      return base::Error::make("PE %d has put no such %s", pe, key);
    }
    std::memcpy(value.data(), found->second.data(), value.size());
    return {};
  }
  void abort(int /*status*/, const char* /*message*/) noexcept override {}
  void finalize() noexcept override {}

 private:
  Store& store_;
};

class Node : public ::testing::Test {
 protected:
  /// All that a PE tells of itself.
  Identity tell(int pe, bool named) {
    const Token token = *make_token();
    const int fd = *make_token_file(token);
    files_.push_back(fd);
    Identity identity = *describe_self(options_, fd, token, fd);
    identity.heap.named = named ? 1 : 0;
    Kept manager(store_, pe, kPes);
    EXPECT_TRUE(put(manager, "id", identity));
    return identity;
  }
  int leader_of(int pe, const Identity& own) {
    Kept manager(store_, pe, kPes);
    return *find_leader(manager, own, all_);
  }
  int neighbours_of(int pe, const Identity& own) {
    Kept manager(store_, pe, kPes);
    return tell_neighbours(manager, own, all_)->n;
  }
  std::string why_not(int pe, const Identity& own) {
    Kept manager(store_, pe, kPes);
    const auto made = make_node(manager, options_, own, Neighbours{});
    return made ? "" : made.error().text();
  }
  void TearDown() override {
    for (const int fd : files_) (void)::close(fd);
  }

  static constexpr int kPes = 3;
  std::int32_t numbers_[kPes] = {0, 1, 2};
  const Named all_{numbers_, kPes};
  const base::Options options_ = *base::read_options([](const char*) -> const char* { return nullptr; });
  Store store_;
  std::vector<int> files_;
};

TEST_F(Node, WhoHasNoNameIsFoundByNobodyThoughItIsListed) {
  (void)tell(0, false);  // its name is in the list, but another one's
  const Identity one = tell(1, true);
  const Identity two = tell(2, true);
  EXPECT_EQ(leader_of(1, one), 1);
  EXPECT_EQ(leader_of(2, two), 1);
  EXPECT_EQ(neighbours_of(1, one), 2);
}

TEST_F(Node, TellsThatALeaderDoesNotFindItsPe) {
  const Identity zero = tell(0, true);
  Identity lost = tell(1, true);
  const Identity two = tell(2, true);
  EXPECT_EQ(leader_of(1, lost), 0);
  EXPECT_EQ(leader_of(2, two), 0);
  (void)::close(files_[1]);  // as where PE 0 may not look at it
  files_[1] = -1;
  EXPECT_EQ(neighbours_of(0, zero), 2);
  for (const int pe : {1, 2}) {
    Kept manager(store_, pe, kPes);
    EXPECT_TRUE(tell_leader(manager, 0));
  }
  const std::string told = why_not(0, zero);
  EXPECT_NE(told.find("do not agree on who shares a machine: PE 1 is with PE 0"), std::string::npos) << told;
}

}  // namespace
}  // namespace weft::pmi
