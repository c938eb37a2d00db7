#include "report/windows.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <vector>

#include "report/hints.hpp"
#include "report/json.hpp"
#include "report/load.hpp"
#include "report/merge.hpp"
#include "report/summary.hpp"
#include "tests/unit/report/recorded_windows.hpp"

namespace weft::report {
namespace {

void set(profile::WindowTally& tally, std::uint64_t count, std::uint64_t sum) {
  tally.count = count;
  tally.sum = sum;
}

TEST(Windows, AreOneForAllTheirMembers) {
  RecordedWindows zero(0);
  RecordedWindows one(1);
  set(zero.add(5, 0, "table").waited[3], 2, 1000);
  set(one.add(5, 0, "").waited[3], 1, 500);
  one.add(5, 1, "");
  set(zero.peer(0, 1).moved[0], 3, 24);
  set(zero.peer(0, 1).waited[0], 1, 2'000'000);
  set(one.peer(0, 0).moved[0], 1, 8);
  set(one.peer(1, 1).moved[2], 4, 32);
  const Profile profile = merge(raw_of(zero, one));
  ASSERT_EQ(profile.windows.size(), 2U);
  const Window& table = profile.windows[0];  // which was waited for
  EXPECT_EQ(name_of(table), "table");
  EXPECT_EQ(table.bytes, 200U);
  EXPECT_EQ(table.moved(0).count, 4U);
  EXPECT_EQ(table.moved(0).bytes, 32U);
  EXPECT_EQ(table.waited(3).count, 3U);
  EXPECT_DOUBLE_EQ(table.waited(3).seconds, 1.5e-6);
  EXPECT_DOUBLE_EQ(table.waited(0).seconds, 2e-3);
  EXPECT_EQ(name_of(profile.windows[1]), "window 2");
  EXPECT_EQ(profile.windows[1].bytes_moved(), 32U);
}

TEST(Windows, AHintNamesTheOneThatIsWaitedForAndItsTarget) {
  RecordedWindows zero(0);
  RecordedWindows one(1);
  zero.add(5, 0, "queue");
  one.add(5, 0, "queue");
  set(zero.peer(0, 1).waited[0], 10, 900'000);
  Profile profile = merge(raw_of(zero, one));
  profile.pes[0].life = 0.002;
  EXPECT_EQ(windows_hint(profile).find("PEs waited 900 us for locks of queue, 900 us of it at PE 1."), 0U)
      << windows_hint(profile);
  profile.pes[0].life = 1;
  EXPECT_EQ(windows_hint(profile), "");
}

TEST(Windows, WithoutAnyNothingIsSaid) {
  const Profile none;
  EXPECT_EQ(windows_table(none), "");
  EXPECT_EQ(windows_hint(none), "");
  EXPECT_EQ(to_json(none, {}, "0").find("windows"), std::string::npos);
}

class DamagedWindows : public testing::Test {
 protected:
  DamagedWindows() {
    one_.add(5, 0, "table");
    one_.add(5, 1, "");
  }
  std::string read(std::size_t missing = 0) const {
    Bytes bytes = one_.bytes();
    bytes.size -= missing;
    const auto parts = read_windows(bytes, one_.header());
    return parts ? "sound, " + std::to_string(parts->size()) : parts.error().text();
  }
  RecordedWindows one_{1};
};

TEST_F(DamagedWindows, AreRefusedWithALine) {
  EXPECT_EQ(read(), "sound, 2");
  EXPECT_EQ(read(1), "windows.1.weft is damaged: its end is missing");
  EXPECT_EQ(read(profile::kWindowAlignment - 10), "windows.1.weft is damaged: its end is missing");
  profile::WindowPart& part = one_.part(0);
  const auto with = [&](auto& place, auto value) {
    const auto before = place;
    place = value;
    const std::string said = read();
    place = before;
    return said;
  };
  EXPECT_EQ(with(part.magic, 1U), "windows.1.weft is not a recording of windows of Weft");
  EXPECT_NE(with(part.layout, 99U).find("another version"), std::string::npos);
  EXPECT_EQ(with(part.pe, 0), "windows.1.weft is damaged: it is of another PE than the recording of calls");
  EXPECT_EQ(with(part.n_members, 0U), "windows.1.weft is damaged: a window has no such members");
  EXPECT_EQ(with(part.n_members, 4096U), "windows.1.weft is damaged: its end is missing");
  EXPECT_EQ(with(part.n_members, UINT32_MAX), "windows.1.weft is damaged: a window has no such members");
  EXPECT_EQ(with(part.call, 0x7f000001U), "windows.1.weft is damaged: no call made a window");
  EXPECT_EQ(with(one_.peer(0, 1).pe, 2), "windows.1.weft is damaged: a member of a window is no PE of the job");
  std::memset(part.name, 'x', sizeof part.name);
  EXPECT_EQ(read(), "windows.1.weft is damaged: a name in it has no end");
}

TEST_F(DamagedWindows, OneThatWasNeverFinishedIsNone) {
  one_.part(1).magic = 0;
  EXPECT_EQ(read(), "sound, 1");
}

}  // namespace
}  // namespace weft::report
