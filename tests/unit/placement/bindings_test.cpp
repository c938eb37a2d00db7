#include "placement/bindings.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

namespace weft::placement {
namespace {

using Lists = std::vector<std::string>;

/// Bindings on a machine as hwloc describes it in one line.
Lists bindings(const char* machine, int n_pes, Unit bind, Unit map, const char* usable = nullptr) {
  hwloc_topology_t topology = nullptr;
  EXPECT_EQ(hwloc_topology_init(&topology), 0);
  EXPECT_EQ(hwloc_topology_set_synthetic(topology, machine), 0);
  EXPECT_EQ(hwloc_topology_load(topology), 0);
  if (usable != nullptr) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(set, usable);
    EXPECT_EQ(hwloc_topology_restrict(topology, set, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS), 0);
    hwloc_bitmap_free(set);
  }
  const auto chosen = choose_bindings(topology, n_pes, bind, map);
  hwloc_topology_destroy(topology);
  EXPECT_TRUE(chosen) << chosen.error().text();
  return *chosen;
}

TEST(Bindings, CoreAfterCore) {
  const char* machine = "pack:2 [numa] core:2 pu:2";
  EXPECT_EQ(bindings(machine, 3, Unit::kCore, Unit::kCore), (Lists{"0-1", "2-3", "4-5"}));
  EXPECT_EQ(bindings(machine, 6, Unit::kCore, Unit::kCore), (Lists{"0-1", "2-3", "4-5", "6-7", "0-1", "2-3"}));
}

TEST(Bindings, InTurnOnSocketsAndNodes) {
  const char* machine = "pack:2 [numa] core:2 pu:2";
  for (const Unit map : {Unit::kSocket, Unit::kNuma}) {
    EXPECT_EQ(bindings(machine, 5, Unit::kCore, map), (Lists{"0-1", "4-5", "2-3", "6-7", "0-1"}));
    EXPECT_EQ(bindings(machine, 3, Unit::kSocket, map), (Lists{"0-3", "4-7", "0-3"}));
  }
  EXPECT_EQ(bindings(machine, 3, Unit::kNuma, Unit::kCore), (Lists{"0-3", "0-3", "4-7"}));
}

TEST(Bindings, ASocketOfSeveralNodes) {
  const char* machine = "pack:2 numa:2 core:2 pu:1";
  EXPECT_EQ(bindings(machine, 4, Unit::kNuma, Unit::kNuma), (Lists{"0-1", "2-3", "4-5", "6-7"}));
  EXPECT_EQ(bindings(machine, 4, Unit::kNuma, Unit::kSocket), (Lists{"0-1", "4-5", "0-1", "4-5"}));
  EXPECT_EQ(bindings(machine, 2, Unit::kSocket, Unit::kNuma), (Lists{"0-3", "0-3"}));
}

TEST(Bindings, OnlyOnWhatMayBeUsed) {
  const char* machine = "pack:2 [numa] core:2 pu:2";
  EXPECT_EQ(bindings(machine, 3, Unit::kCore, Unit::kCore, "3-5"), (Lists{"3", "4-5", "3"}));
  EXPECT_EQ(bindings(machine, 2, Unit::kSocket, Unit::kSocket, "6-7"), (Lists{"6-7", "6-7"}));
}

TEST(Bindings, AMachineThatTellsNothing) {
  for (const Unit map : {Unit::kCore, Unit::kSocket, Unit::kNuma}) {
    EXPECT_EQ(bindings("pu:3", 4, Unit::kCore, map), (Lists{"0", "1", "2", "0"}));
    EXPECT_EQ(bindings("pu:3", 2, Unit::kSocket, map), (Lists{"0-2", "0-2"}));
    EXPECT_EQ(bindings("pu:3", 2, Unit::kNuma, map), (Lists{"0-2", "0-2"}));
  }
}

}  // namespace
}  // namespace weft::placement
