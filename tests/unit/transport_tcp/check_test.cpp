#include "transport/tcp/check.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace weft::transport::tcp {
namespace {

class Check : public testing::Test {
 protected:
  std::string wrong(const Request& request) const {
    const char* const said = wrong_with(request, regions);
    return said == nullptr ? "" : said;
  }
  Request of(Ask ask, std::uint64_t offset, std::uint64_t bytes = 8, Type type = Type::k64) const {
    Request request{};
    request.key = request.signal_key = key.key;
    request.ask = ask;
    request.op = Op::kAdd;
    request.type = type;
    request.offset = offset;
    request.bytes = bytes;
    return request;
  }
  alignas(64) std::byte heap[256] = {};
  Regions regions;
  RegionKey key = *regions.lend({heap, sizeof heap});
};

TEST_F(Check, WhatIsLentIsFine) {
  EXPECT_EQ(wrong(of(Ask::kPut, 0, 256)), "");
  EXPECT_EQ(wrong(of(Ask::kPut, 255, 1)), "");
  EXPECT_EQ(wrong(of(Ask::kGet, 3, 100)), "");
  EXPECT_EQ(wrong(of(Ask::kFetch, 248)), "");
  EXPECT_EQ(wrong(of(Ask::kTell, 3)), "");
}

TEST_F(Check, WhatIsNotIsNot) {
  for (const auto& [offset, bytes] : {std::pair<std::uint64_t, std::uint64_t>{249, 8},
                                      {256, 1},
                                      {257, 0},
                                      {0, 257},
                                      {UINT64_MAX, 8},
                                      {8, UINT64_MAX},
                                      {0, 0}}) {
    EXPECT_NE(wrong(of(Ask::kPut, offset, bytes)).find("not lent"), std::string::npos) << offset << ' ' << bytes;
  }
  Request elsewhere = of(Ask::kPut, 0, 1);
  for (const std::uint64_t made_up : {std::uint64_t{0}, key.key ^ 1, key.key + 1, key.key ^ std::uint64_t{1} << 63,
                                      key.key & UINT32_MAX, UINT64_MAX}) {
    elsewhere.key = made_up;
    EXPECT_NE(wrong(elsewhere), "") << made_up;
  }
}

TEST_F(Check, AtomicOperationsAreAligned) {
  EXPECT_NE(wrong(of(Ask::kAtomic, 4)).find("no multiple"), std::string::npos);
  EXPECT_NE(wrong(of(Ask::kFetch, 1, 0, Type::k16)), "");
  EXPECT_EQ(wrong(of(Ask::kFetch, 1, 0, Type::k8)), "");
  EXPECT_NE(wrong(of(Ask::kFetch, 6, 0, Type::kFloat)), "");
  Request put = of(Ask::kPutThen, 0, 1);
  put.signal_offset = 4;
  EXPECT_NE(wrong(put).find("no multiple"), std::string::npos);
  put.signal_offset = 8;
  EXPECT_EQ(wrong(put), "");
}

// Any 64 bytes: what passes lies in the region.
TEST_F(Check, AnyBytes) {
  std::uint64_t state = 88172645463325252;
  for (int round = 0; round < 200'000; ++round) {
    std::uint64_t words[8];
    for (std::uint64_t& word : words) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      word = round % 2 == 0 ? state : state & 0x0101'0101'0101'01ff;
    }
    Request request;
    std::memcpy(&request, words, sizeof request);
    request.key = request.signal_key = key.key;
    if (!wrong(request).empty() || request.ask >= Ask::kTell) continue;
    const bool is_atomic = request.ask == Ask::kAtomic || request.ask == Ask::kFetch;
    const std::uint64_t bytes = is_atomic ? bytes_of(request.type) : request.bytes;
    ASSERT_LE(bytes, sizeof heap);
    ASSERT_LE(request.offset, sizeof heap - bytes);
  }
}

}  // namespace
}  // namespace weft::transport::tcp
