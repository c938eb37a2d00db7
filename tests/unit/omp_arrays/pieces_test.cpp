// Homes of pages against a count of bytes, one after the other.
#include "dsm/pieces.hpp"

#include <gtest/gtest.h>

namespace weft::dsm {
namespace {

constexpr std::uint64_t kPage = protocol::kPageBytes;

TEST(OmpArrays, BlocksOfWholePages) {
  const Homed homed{0, 10 * kPage, {.period = UINT64_MAX, .piece = 3 * kPage, .from = 1, .pes = 4}};
  const int wanted[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4};
  for (std::uint64_t k = 0; k < 10; ++k) EXPECT_EQ(homed(k), wanted[k]) << k;
  EXPECT_EQ(homed.next_page(0), 3U);
  EXPECT_EQ(homed.next_page(7), 9U);
  EXPECT_EQ(homed.next_page(9), 10U);
}

TEST(OmpArrays, RunsOfPagesAreAsLongAsTheirHomesAreTheSame) {
  const std::uint64_t leads[] = {0, 8, 2047, 2048, 2049, 4088};
  const std::uint64_t pieces[] = {1, 24, 800, 1368, 4096, 5000, 12288, 30000, UINT64_MAX};
  const std::uint64_t periods[] = {4096, 10000, 65536, UINT64_MAX};
  for (const std::uint64_t lead : leads) {
    for (const std::uint64_t piece : pieces) {
      for (const std::uint64_t period : periods) {
        const Homed homed{lead, 100'001, {.period = period, .piece = piece, .from = 0, .pes = 3}};
        const std::uint64_t pages = homed.page_of(homed.bytes - 1) + 1;
        std::uint64_t k = 0;
        while (k < pages) {
          const std::uint64_t next = homed.next_page(k);
          ASSERT_GT(next, k);
          ASSERT_LE(next, pages);
          for (std::uint64_t each = k; each < next; ++each) {
            ASSERT_EQ(homed(each), homed(k)) << lead << " " << piece << " " << period << " " << each;
          }
          k = next;
        }
      }
    }
  }
}

TEST(OmpArrays, APageIsAtHomeWhereItsMiddleIs) {
  for (const std::uint64_t lead : {std::uint64_t{0}, std::uint64_t{96}, std::uint64_t{4000}}) {
    const Homed homed{lead, 50'000, {.period = 9000, .piece = 1500, .from = 0, .pes = 4}};
    for (std::uint64_t byte = 0; byte < homed.bytes; ++byte) {
      if ((lead + byte) % kPage == kPage / 2) {
        ASSERT_EQ(homed.of_byte(byte), static_cast<int>(byte % 9000 / 1500 % 4));
      }
    }
  }
}

}  // namespace
}  // namespace weft::dsm
