#include "os/numa.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

namespace weft::os {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

NodeUse use_of(const std::string& maps, std::uintptr_t lo, std::uintptr_t hi) {
  std::string text = maps;
  std::FILE* file = ::fmemopen(text.data(), text.size(), "r");
  const NodeUse use = read_numa_maps(file, lo, hi);
  (void)std::fclose(file);
  return use;
}

std::string text_of(const NodeUse& use) {
  char text[kNodeTextSize];
  return node_text(use, text);
}

TEST(NumaMaps, CountsTheMappingsOfTheRangeOnly) {
  const NodeUse use = use_of(
      "5581c8a4f000 default file=/usr/bin/heat mapped=9 N0=9 kernelpagesize_kB=4\n"
      "558000000000 bind:0 file=/memfd:weft-data\\040(deleted) dirty=512 active=0 N0=256 N1=512 kernelpagesize_kB=4\n"
      "558000300000 bind:0 file=/memfd:weft-data\\040(deleted) dirty=256 active=0 N1=256 kernelpagesize_kB=4\n"
      "558000400000 default anon=7 dirty=7 N1=7 kernelpagesize_kB=4\n",
      0x558000000000, 0x558000400000);
  EXPECT_EQ(use.bytes[0], 1 * kMiB);
  EXPECT_EQ(use.bytes[1], 3 * kMiB);
  EXPECT_EQ(text_of(use), "4 MiB touched by this PE, 1 MiB on node 0, 3 MiB on node 1");
}

TEST(NumaMaps, CountsHugePagesByTheirSize) {
  const NodeUse use = use_of(
      "558000000000 interleave:0-3 file=/memfd:weft-heap\\040(deleted) huge dirty=3 N0=1 N12=2 "
      "kernelpagesize_kB=2048\n",
      0x558000000000, 0x558000600000);
  EXPECT_EQ(text_of(use), "6 MiB touched by this PE, 2 MiB on node 0, 4 MiB on node 12");
}

TEST(NumaMaps, ReadsWhatOtherKernelsWrite) {
  // No size of pages; a policy with a blank; a node beyond all that can be; nothing after the policy.
  const NodeUse use = use_of(
      "1000 prefer (many):0 anon=3 dirty=3 N1=3\n2000 default anon=1 N9999=1 N-1=2 kernelpagesize_kB=4\n3000 default\n",
      0x1000, 0x4000);
  EXPECT_EQ(text_of(use), "12 KiB touched by this PE, 12 KiB on node 1");
  EXPECT_EQ(text_of(use_of("no address here\n", 0, 0x1000)), "0 bytes touched by this PE");
}

TEST(NumaMaps, NodesThatDoNotFitAreLeftOut) {
  NodeUse use;
  for (std::size_t& bytes : use.bytes) bytes = kMiB;
  const std::string text = text_of(use);
  EXPECT_LT(text.size(), static_cast<std::size_t>(kNodeTextSize));
  EXPECT_EQ(text.rfind("1 GiB touched by this PE, 1 MiB on node 0, ", 0), 0U) << text;
}

TEST(NodeUse, SeesWhatThisProcessTouched) {
  constexpr std::size_t kBytes = 4 * kMiB;
  void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  std::memset(at, 1, kBytes / 2);
  const auto lo = reinterpret_cast<std::uintptr_t>(at);
  const auto use = node_use(lo, lo + kBytes);
  ::munmap(at, kBytes);
  if (!use) GTEST_SKIP() << use.error().text();
  EXPECT_EQ(text_of(*use).rfind("2 MiB touched by this PE, ", 0), 0U) << text_of(*use);
}

}  // namespace
}  // namespace weft::os
