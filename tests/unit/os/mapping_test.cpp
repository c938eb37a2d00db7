#include "os/mapping.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>

namespace weft::os {
namespace {

TEST(Mapping, ReservesOnlyFreeAddresses) {
  const auto area = reserve(4 * kPage);
  ASSERT_TRUE(area);
  EXPECT_FALSE(reserve_at(*area + kPage, kPage)) << "taken";
  ::munmap(reinterpret_cast<void*>(*area), 4 * kPage);
  EXPECT_TRUE(reserve_at(*area + kPage, kPage));
  ::munmap(reinterpret_cast<void*>(*area + kPage), kPage);
}

TEST(Mapping, ReservedMemoryFaults) {
  const auto area = reserve(kPage);
  ASSERT_TRUE(area);
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        *reinterpret_cast<volatile char*>(*area) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "");
  ::munmap(reinterpret_cast<void*>(*area), kPage);
}

TEST(Mapping, SharedFilesAppearAtTheirOffsetAndGoWithAHole) {
  const int fd = ::memfd_create("weft-test", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::ftruncate(fd, 4 * kPage), 0);
  const auto area = reserve(2 * kPage);
  ASSERT_TRUE(area);
  ASSERT_TRUE(map_shared_at(*area, kPage, fd, kPage));
  ASSERT_TRUE(map_shared_at(*area + kPage, kPage, fd, kPage));
  *reinterpret_cast<int*>(*area) = 5;
  EXPECT_EQ(*reinterpret_cast<int*>(*area + kPage), 5) << "two mappings of one page";
  punch_hole(fd, kPage, kPage);
  EXPECT_EQ(*reinterpret_cast<int*>(*area), 0);
  ::munmap(reinterpret_cast<void*>(*area), 2 * kPage);
  ::close(fd);
}

TEST(Mapping, SaysHowMuchCouldNotBeHad) {
  const auto area = reserve(std::size_t{1} << 60);
  ASSERT_FALSE(area);
  EXPECT_NE(std::string(area.error().text()).find("MiB of address space"), std::string::npos) << area.error().text();
}

}  // namespace
}  // namespace weft::os
