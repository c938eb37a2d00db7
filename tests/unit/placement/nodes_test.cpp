#include "placement/nodes.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <string>

namespace weft::placement {
namespace {

/// A machine as hwloc describes it in one line.
class Nodes : public testing::Test {
 protected:
  void machine(const char* description) {
    ASSERT_EQ(hwloc_topology_init(&topology_), 0);
    ASSERT_EQ(hwloc_topology_set_synthetic(topology_, description), 0);
    ASSERT_EQ(hwloc_topology_load(topology_), 0);
  }
  void TearDown() override { hwloc_topology_destroy(topology_); }

  std::string chosen(base::Numa how, const char* cpus) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(set, cpus);
    choose_nodes(topology_, how, set, nodes);
    char text[64] = {};
    hwloc_bitmap_list_snprintf(text, sizeof text, nodes);
    hwloc_bitmap_free(set);
    hwloc_bitmap_free(nodes);
    return text;
  }

  hwloc_topology_t topology_ = nullptr;
};

TEST_F(Nodes, BindTakesThoseOfTheProcessors) {
  machine("pack:4 [numa] pu:4");
  EXPECT_EQ(chosen(base::Numa::kBind, "0-3"), "0");
  EXPECT_EQ(chosen(base::Numa::kBind, "9"), "2");
  EXPECT_EQ(chosen(base::Numa::kBind, "3-4"), "0-1");
  EXPECT_EQ(chosen(base::Numa::kBind, "0-15"), "0-3");
}

TEST_F(Nodes, InterleaveTakesAllWhereverThePeRuns) {
  machine("pack:4 [numa] pu:4");
  EXPECT_EQ(chosen(base::Numa::kInterleave, "9"), "0-3");
}

TEST_F(Nodes, ThereIsOneWithoutNuma) {
  machine("core:2 pu:1");
  EXPECT_EQ(chosen(base::Numa::kBind, "1"), "0");
  EXPECT_EQ(chosen(base::Numa::kInterleave, "1"), "0");
}

TEST_F(Nodes, NodesWithoutMemoryAreLeftOut) {
  machine("[numa(memory=1048576)] pack:2 [numa(memory=0)] pu:2");
  ASSERT_EQ(hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_NUMANODE), 3);
  const std::string filled = chosen(base::Numa::kInterleave, "0");
  EXPECT_EQ(filled.find_first_of(",-"), std::string::npos) << filled;
  EXPECT_EQ(chosen(base::Numa::kBind, "0"), filled);
}

TEST_F(Nodes, NodesWithoutMemoryAreTakenWhereThereIsNothingElse) {
  machine("pack:2 [numa(memory=0)] pu:2");
  EXPECT_EQ(chosen(base::Numa::kBind, "0"), "0");
  EXPECT_EQ(chosen(base::Numa::kInterleave, "0"), "0-1");
}

}  // namespace
}  // namespace weft::placement
