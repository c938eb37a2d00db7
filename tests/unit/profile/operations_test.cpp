#include "profile/operations.hpp"

#include <gtest/gtest.h>

namespace weft::profile {
namespace {

using api::Op;
using interpose::Invocation;

TEST(Operations, BytesAreThoseOfTheElements) {
  EXPECT_EQ(bytes_of<Op::put>({.element = 8, .count = 100}), 800U);
  EXPECT_EQ(bytes_of<Op::p>({.element = 4}), 4U);
  EXPECT_EQ(bytes_of<Op::ibget>({.element = 2, .count = 3, .block = 5}), 30U);
  EXPECT_EQ(bytes_of<Op::reduce_sum>({.element = 8, .count = 4}), 32U);
  EXPECT_EQ(bytes_of<Op::atomic_swap>({}), sizeof(long));  // shmem_swap names no type
  EXPECT_EQ(bytes_of<Op::heap_malloc>({.bytes = 77}), 77U);
  EXPECT_EQ(bytes_of<Op::heap_calloc>({.count = 3, .bytes = 10}), 30U);
  EXPECT_EQ(bytes_of<Op::wait_until_all>({.element = 8, .count = 3}), 0U);
}

TEST(Operations, WhatKeepsAPeIsWaiting) {
  EXPECT_TRUE(waits(kind_of(Op::barrier_all)));
  EXPECT_TRUE(waits(kind_of(Op::wait_until)));
  EXPECT_TRUE(waits(kind_of(Op::set_lock)));
  EXPECT_TRUE(waits(kind_of(Op::finalize)));
  EXPECT_FALSE(waits(kind_of(Op::put)));
  EXPECT_FALSE(waits(kind_of(Op::quiet)));
  EXPECT_FALSE(waits(kind_of(Op::test)));
}

// A PE may leave a broadcast or a scan before others have come.
TEST(Operations, MeetingsNeedEverybody) {
  EXPECT_TRUE(is_meeting(Op::barrier_all));
  EXPECT_TRUE(is_meeting(Op::team_sync));
  EXPECT_TRUE(is_meeting(Op::reduce_max));
  EXPECT_TRUE(is_meeting(Op::alltoall));
  EXPECT_FALSE(is_meeting(Op::broadcast));
  EXPECT_FALSE(is_meeting(Op::sum_inscan));
  EXPECT_FALSE(is_meeting(Op::reduce_sum_nb));
}

}  // namespace
}  // namespace weft::profile
