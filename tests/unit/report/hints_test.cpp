#include "report/hints.hpp"

#include <gtest/gtest.h>

#include "report/summary.hpp"

namespace weft::report {
namespace {

// Four PEs, 10 s each, that compute and hardly wait.
Profile healthy() {
  Profile profile;
  profile.program = "/bin/solve";
  profile.seconds = 10;
  profile.processors = 4;
  for (int pe = 0; pe < 4; ++pe) {
    Pe one;
    one.life = 10;
    one.busy = 0.5;
    one.waiting = 0.3;
    one.threads = 1;
    one.end = End::kFinalised;
    one.heap_bytes = 1 << 20;
    one.heap_peak = 1 << 10;
    profile.pes.push_back(one);
  }
  profile.meetings.assign(4, 100);
  profile.times_last.assign(4, 25);
  profile.places.push_back({.routine = "shmem_barrier_all", .kind = Kind::kBarrier, .where = "main at solve.c:7"});
  for (auto& sizes : profile.sizes) sizes.push_back({.from = 8, .to = 15});
  return profile;
}

bool any_has(const Profile& profile, const std::string& words) {
  for (const std::string& hint : hints(profile)) {
    if (hint.find(words) != std::string::npos) return true;
  }
  return false;
}

Routine routine(const char* name, Kind kind, std::uint64_t count, double seconds) {
  Routine made;
  made.name = name;
  made.kind = kind;
  made.all = {.count = count, .seconds = seconds};
  return made;
}

TEST(Hints, AHealthyRunHasNone) { EXPECT_TRUE(hints(healthy()).empty()); }

TEST(Hints, OnePeKeepsTheOthersWaiting) {
  Profile profile = healthy();
  profile.times_last = {10, 5, 80, 5};
  EXPECT_TRUE(hints(profile).empty());  // but it does not matter: nobody waited long
  profile.late.push_back({.waiting = 0, .last = 2, .count = 70, .seconds = 3});
  profile.late.push_back({.waiting = 1, .last = 2, .count = 70, .seconds = 2});
  EXPECT_TRUE(any_has(profile, "waited 5.00 s for PE 2, of 5.00 s"));
  EXPECT_TRUE(any_has(profile, "it came last to 80 % of 100"));
  for (int pe = 0; pe < 4; ++pe) {  // in turn: nobody's fault
    if (pe != 2) profile.late.push_back({.waiting = (pe + 1) % 4, .last = pe, .count = 25, .seconds = 5});
  }
  EXPECT_FALSE(any_has(profile, "came last"));
}

TEST(Hints, OnePeSendsLate) {
  Profile profile = healthy();
  profile.senders.push_back({.waiting = 0, .last = 3, .count = 40, .seconds = 0.5});
  EXPECT_FALSE(any_has(profile, "came late"));  // a small part of 40 s
  profile.senders.push_back({.waiting = 1, .last = 3, .count = 30, .seconds = 4});
  EXPECT_TRUE(
      any_has(profile, "messages of PE 3 came late: others waited 4.50 s for them, of 4.50 s that 70 receives"));
  for (int pe = 0; pe < 3; ++pe) {
    profile.senders.push_back({.waiting = pe + 1, .last = pe, .count = 25, .seconds = 4});
  }
  EXPECT_FALSE(any_has(profile, "came late"));
}

// Keys that are not spread evenly: PE 0 has most to do in the one long step, another is last by nothing in many.
TEST(Hints, TheOneThatIsWaitedForLongestIsNotTheOneThatIsLastMostOften) {
  Profile profile = healthy();
  profile.pes.resize(16, profile.pes[0]);
  profile.meetings.assign(16, 100);
  profile.times_last.assign(16, 1);
  profile.times_last[7] = 80;
  for (int pe = 0; pe < 16; ++pe) {
    if (pe != 0) profile.late.push_back({.waiting = pe, .last = 0, .count = 5, .seconds = 44.0 / 15});
    if (pe != 7) profile.late.push_back({.waiting = pe, .last = 7, .count = 80, .seconds = 5.0 / 15});
  }
  EXPECT_TRUE(any_has(profile, "waited 44.0 s for PE 0, of 49.0 s"));
  EXPECT_FALSE(any_has(profile, "PE 7"));
}

TEST(Hints, AllWait) {
  Profile profile = healthy();
  for (Pe& pe : profile.pes) pe.waiting = 6;
  profile.places[0].all.seconds = 18;
  EXPECT_TRUE(any_has(
      profile, "60 % of their time waiting for each other; 75 % of that in shmem_barrier_all (main at solve.c:7)"));
}

TEST(Hints, MorePesThanProcessors) {
  Profile profile = healthy();
  profile.processors = 2;
  EXPECT_FALSE(any_has(profile, "share"));
  for (Pe& pe : profile.pes) pe.waiting = 2;
  EXPECT_TRUE(any_has(profile, "4 PEs share 2 processors"));
}

TEST(Hints, ManySmallPuts) {
  Profile profile = healthy();
  profile.sizes[index_of(Kind::kPut)] = {{.from = 8, .to = 15, .all = {.count = 92'000, .seconds = 4}},
                                         {.from = 1024, .to = 2047, .all = {.count = 8'000, .seconds = 4}}};
  EXPECT_TRUE(any_has(profile, "92 % of 100,000 puts carry less than 16 bytes and take 10 % of the time"));
  profile.sizes[index_of(Kind::kPut)][0].all.seconds = 0.1;
  EXPECT_FALSE(any_has(profile, "puts"));
  profile.sizes[index_of(Kind::kPut)][0].all = {.count = 500, .seconds = 4};
  EXPECT_FALSE(any_has(profile, "puts"));
}

TEST(Hints, AQuietForEachPut) {
  Profile profile = healthy();
  profile.routines = {routine("shmem_long_put", Kind::kPut, 5000, 1), routine("shmem_quiet", Kind::kOrder, 5000, 4)};
  EXPECT_TRUE(any_has(profile, "5,000 calls of shmem_quiet or shmem_fence for 5,000 puts"));
  profile.routines[1].all.count = 100;
  EXPECT_FALSE(any_has(profile, "shmem_quiet"));
}

TEST(Hints, PollingAndLocks) {
  Profile profile = healthy();
  profile.routines = {routine("shmem_long_test", Kind::kQuery, 1'000'000, 5),
                      routine("shmem_set_lock", Kind::kLock, 10, 6)};
  EXPECT_TRUE(any_has(profile, "1,000,000 calls of shmem_test"));
  EXPECT_TRUE(any_has(profile, "Locks take 15 % of the time"));
}

TEST(Hints, OneTargetOfAll) {
  Profile profile = healthy();
  profile.routines = {routine("shmem_putmem", Kind::kPut, 1000, 5)};
  profile.pairs[index_of(Kind::kPut)] = {{1, 0, 500, 80 << 20}, {2, 3, 500, 20 << 20}, {0, 0, 500, 900 << 20}};
  EXPECT_TRUE(any_has(profile, "80 % of all bytes that PEs put and get lie on PE 0"));
  profile.pairs[index_of(Kind::kPut)][1].bytes = 90 << 20;
  EXPECT_FALSE(any_has(profile, "lie on PE 0"));
}

TEST(Hints, TheHeapIsNearlyFull) {
  Profile profile = healthy();
  profile.pes[3].heap_peak = profile.pes[3].heap_bytes - 64;
  EXPECT_TRUE(any_has(profile, "PE 3 had 1.00 MiB of 1.00 MiB"));
}

TEST(Hints, WhatWasNotCountedIsSaid) {
  Profile profile = healthy();
  profile.lost_threads = 2;
  EXPECT_TRUE(any_has(profile, "2 threads found no room"));
}

TEST(Summary, FitsAScreen) {
  Profile profile = healthy();
  profile.pes.resize(100, profile.pes[0]);
  profile.meetings.resize(100);
  profile.times_last.resize(100);
  for (int k = 0; k < 20; ++k)
    profile.routines.push_back(routine("shmem_longlong_wait_until_some_vector", Kind::kWait, 5, 1));
  for (int k = 0; k < 20; ++k) profile.places.push_back({.routine = "shmem_long_put", .where = std::string(200, 'x')});
  const std::string text =
      summary(profile, {"One hint that is so long that it has to be broken into two lines at least, at a space."});
  std::size_t lines = 0;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    ++lines;
    EXPECT_LE(end - at, 80U) << text.substr(at, end - at);
  }
  EXPECT_LE(lines, 24U) << text;
}

TEST(Summary, SaysWhoDidNotFinish) {
  Profile profile = healthy();
  profile.pes[1].end = End::kKilled;
  profile.pes[1].inside_site = 0;
  profile.pes[1].inside_seconds = 4;
  profile.pes[2].end = End::kExited;
  const std::string text = summary(profile, {});
  EXPECT_NE(text.find("PE 1 was ended, after 4.00 s in shmem_barrier_all (main at solve.c:7)."), std::string::npos)
      << text;
  EXPECT_NE(text.find("PE 2 exited without shmem_finalize."), std::string::npos) << text;
}

}  // namespace
}  // namespace weft::report
