#include "os/huge_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>

namespace weft::os {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

class Taking : public testing::Test {
 protected:
  void map(int flags) {
    at_ = ::mmap(nullptr, 2 * kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  }
  void TearDown() override {
    if (at_ != MAP_FAILED) ::munmap(at_, 2 * kHugePage);
  }
  base::Result<void> take() const { return take_hugetlb_pages(reinterpret_cast<std::uintptr_t>(at_), 2 * kHugePage); }

  void* at_ = MAP_FAILED;
};

// Pages of any size will do to see that each huge page's worth is touched.
TEST_F(Taking, TouchesAll) {
  map(0);
  ASSERT_NE(at_, MAP_FAILED);
  const auto taken = take();
  ASSERT_TRUE(taken) << taken.error().text();
  unsigned char present[2 * kHugePage / 4096] = {};
  ASSERT_EQ(::mincore(at_, 2 * kHugePage, present), 0);
  EXPECT_EQ(present[0] & 1, 1);
  EXPECT_EQ(present[kHugePage / 4096] & 1, 1);
}

// As when a node has none left: the mapping is there, its pages are not.
TEST_F(Taking, SaysThatThereAreTooFew) {
#ifdef MADV_POPULATE_WRITE
  map(0);
  ASSERT_NE(at_, MAP_FAILED);
  if (::madvise(at_, 4096, MADV_POPULATE_WRITE) != 0) GTEST_SKIP() << "this kernel would send a bus error";
  ::munmap(at_, 2 * kHugePage);
  map(MAP_HUGETLB | MAP_NORESERVE);
  if (at_ == MAP_FAILED) GTEST_SKIP() << "no huge pages in this kernel";
  const auto taken = take();
  if (taken) GTEST_SKIP() << "this machine has huge pages to spare";
  EXPECT_EQ(std::string(taken.error().text()).rfind("the NUMA nodes of this PE have less than the 2 reserved huge", 0),
            0U)
      << taken.error().text();
#else
  GTEST_SKIP() << "these headers do not know how to ask";
#endif
}

}  // namespace
}  // namespace weft::os
