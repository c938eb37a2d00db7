// A job of one PE, this process, for the tests of rooms that stand on one.
#pragma once

#include <gtest/gtest.h>

#include "boot/enter.hpp"
#include "job/node.hpp"

namespace weft::test {

/// A new one each time: nothing is left of the last.
inline void be_alone() {
  const auto attached = boot::enter_alone(1 << 20);
  ASSERT_TRUE(attached) << attached.error().text();
  job::Node& node = job::node();
  node.job = attached->job;
  node.own_record.store(attached->record);
  node.me = 0;
  node.n_pes = 1;
  node.local = 0;
  node.n_local = 1;
}

class JobOfOne : public testing::Test {
 protected:
  void SetUp() override { be_alone(); }
};

}  // namespace weft::test
