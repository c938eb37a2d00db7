#include "os/executable.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "os/mapping.hpp"

namespace weft::os {
namespace {

int g_data = 1;
int g_bss;
const int g_constant = 2;
int* const g_relocated_constant = &g_data;  // made read-only after relocation

bool in_data(const Executable& exe, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= exe.data_lo && at < exe.data_hi;
}

TEST(Executable, FindsItsOwnWritableData) {
  static int in_function = 3;
  const Executable exe = find_executable();
  EXPECT_TRUE(in_data(exe, &g_data));
  EXPECT_TRUE(in_data(exe, &g_bss));
  EXPECT_TRUE(in_data(exe, &in_function));
  EXPECT_EQ(exe.data_lo % kPage, 0U);
  EXPECT_EQ(exe.data_hi % kPage, 0U);
  EXPECT_GE(exe.n_writable, 1);
}

TEST(Executable, LeavesOutTextConstantsStackHeapAndLibraries) {
  const Executable exe = find_executable();
  int local = 0;
  void* block = ::malloc(10);
  EXPECT_FALSE(in_data(exe, reinterpret_cast<const void*>(&find_executable)));
  EXPECT_FALSE(in_data(exe, &g_constant));
  EXPECT_FALSE(in_data(exe, &g_relocated_constant));
  EXPECT_FALSE(in_data(exe, &local));
  EXPECT_FALSE(in_data(exe, block));
  ::free(block);
  EXPECT_LE(exe.lowest, exe.data_lo);
  EXPECT_GE(exe.highest, exe.data_hi);
}

}  // namespace
}  // namespace weft::os
