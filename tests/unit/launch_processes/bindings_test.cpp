#include "launch/processes/bindings.hpp"

#include <gtest/gtest.h>

namespace weft::launch::processes {
namespace {

TEST(Bindings, ListsAreReadAndWritten) {
  for (const char* list : {"0", "0-3", "1,3,5-7", "0,1023"}) {
    const auto cpus = read_cpu_list(list);
    ASSERT_TRUE(cpus) << cpus.error().text();
    EXPECT_EQ(cpu_list(*cpus), list);
  }
}

TEST(Bindings, WhatIsNoListIsRefused) {
  for (const char* text : {"", "x", "1-", "-1", "3-1", "1024", "1,", "1;2", "1 2", "0-9999999999"}) {
    EXPECT_FALSE(read_cpu_list(text)) << text;
  }
}

TEST(Bindings, ProcessorsAreCountedOnce) {
  EXPECT_EQ(count_cpus({*read_cpu_list("0-3"), *read_cpu_list("2-5"), *read_cpu_list("9")}), 7);
  EXPECT_EQ(count_cpus({}), 0);
}

}  // namespace
}  // namespace weft::launch::processes
