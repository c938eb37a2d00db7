#include "report/merge.hpp"

#include <algorithm>
#include <fstream>

#include "report/places.hpp"
#include "tests/unit/report/recordings.hpp"

namespace weft::report {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr double kNear = 1e-9;

using Merge = Recordings;

TEST_F(Merge, PutsThePesTogether) {
  RecordedPe zero(folder_, 0, 2, 50 * kMs);
  RecordedPe one(folder_, 1, 2, 52 * kMs);  // began 2 ms later
  zero.count(Call::shmem_long_put, Kind::kPut, 0x10, {.begin = 1 * kMs, .end = 2 * kMs, .bytes = 80, .peer = 1});
  zero.count(Call::shmem_long_put, Kind::kPut, 0x20, {.begin = 2 * kMs, .end = 5 * kMs, .bytes = 8, .peer = 1});
  one.count(Call::shmem_long_put, Kind::kPut, 0x10, {.begin = 1 * kMs, .end = 2 * kMs, .bytes = 80, .peer = 0});
  one.count(Call::shmem_barrier_all, Kind::kBarrier, 0x30,
            {.begin = 3 * kMs, .end = 7 * kMs, .last = 0, .late = 2 * kMs});
  zero.end(10 * kMs);
  one.end(10 * kMs);
  const Profile profile = merged();

  EXPECT_EQ(profile.n_pes(), 2);
  EXPECT_NEAR(profile.seconds, 0.012, kNear);
  EXPECT_EQ(profile.processors, 2);
  EXPECT_NEAR(profile.pes[0].life, 0.010, kNear);
  EXPECT_NEAR(profile.pes[0].busy, 0.004, kNear);
  EXPECT_NEAR(profile.pes[0].waiting, 0, kNear);
  EXPECT_NEAR(profile.pes[1].begin, 0.002, kNear);
  EXPECT_NEAR(profile.pes[1].waiting, 0.004, kNear);
  EXPECT_NEAR(profile.pes[1].elsewhere(), 0.005, kNear);

  ASSERT_EQ(profile.routines.size(), 2U);
  EXPECT_EQ(profile.routines[0].name, "shmem_long_put");
  EXPECT_EQ(profile.routines[0].all.count, 3U);
  EXPECT_EQ(profile.routines[0].all.bytes, 168U);
  EXPECT_NEAR(profile.routines[0].all.seconds, 0.005, kNear);
  EXPECT_NEAR(profile.routines[0].all.longest, 0.003, kNear);
  EXPECT_EQ(profile.routines[0].counts[0], 2U);
  EXPECT_EQ(profile.routines[0].counts[1], 1U);

  // The same place of the program, although it was loaded elsewhere.
  ASSERT_EQ(profile.places.size(), 3U);
  EXPECT_EQ(profile.places[0].routine, "shmem_barrier_all");
  const auto both =
      std::find_if(profile.places.begin(), profile.places.end(), [](const Place& p) { return p.offset == 0x10; });
  ASSERT_NE(both, profile.places.end());
  EXPECT_EQ(both->pes, 2);
  EXPECT_EQ(both->all.count, 2U);

  const auto& puts = profile.pairs[index_of(Kind::kPut)];
  ASSERT_EQ(puts.size(), 2U);
  EXPECT_EQ(puts[0].from, 0);
  EXPECT_EQ(puts[0].to, 1);
  EXPECT_EQ(puts[0].count, 2U);
  EXPECT_EQ(puts[0].bytes, 88U);

  ASSERT_EQ(profile.late.size(), 1U);
  EXPECT_EQ(profile.late[0].waiting, 1);
  EXPECT_EQ(profile.late[0].last, 0);
  EXPECT_NEAR(profile.late[0].seconds, 0.002, kNear);
  EXPECT_EQ(profile.meetings[1], 1U);

  ASSERT_EQ(profile.waits.size(), 1U);
  EXPECT_EQ(profile.waits[0].pe, 1);
  EXPECT_NEAR(profile.waits[0].begin, 0.005, kNear);
  EXPECT_EQ(profile.places[static_cast<std::size_t>(profile.waits[0].place)].routine, "shmem_barrier_all");
}

TEST_F(Merge, SizesAreAddedUpByClass) {
  RecordedPe zero(folder_, 0, 1, 0);
  for (int k = 0; k < 3; ++k) {
    zero.count(Call::shmem_getmem, Kind::kGet, 0x10, {.begin = 0, .end = 10, .bytes = 9, .peer = 0});
  }
  zero.end(100);
  const Profile profile = merged();
  const auto& classes = profile.sizes[index_of(Kind::kGet)];
  const auto& one = classes[static_cast<std::size_t>(profile::size_class(9))];
  EXPECT_EQ(one.from, 8U);
  EXPECT_EQ(one.to, 15U);
  EXPECT_EQ(one.all.count, 3U);
  EXPECT_EQ(one.all.bytes, 27U);
}

TEST_F(Merge, TheTimeLineKeepsTheShares) {
  RecordedPe zero(folder_, 0, 1, 0);
  constexpr std::uint64_t kRun = 1000 * kMs;
  // Waits through the second half.
  zero.count(Call::shmem_barrier_all, Kind::kBarrier, 0x10, {.begin = kRun / 2, .end = kRun});
  zero.end(kRun);
  const Profile profile = merged();
  const std::vector<int>& shares = profile.lanes[0].shares[index_of(Kind::kBarrier)];
  ASSERT_EQ(shares.size(), 500U);
  EXPECT_EQ(shares[10], 0);
  EXPECT_EQ(shares[240], 0);
  EXPECT_EQ(shares[260], 1000);
  EXPECT_EQ(shares[490], 1000);
  EXPECT_NEAR(profile.bin_seconds, 0.002, kNear);
}

// PE 1 was killed in a wait that it had entered 3 ms before the job was over.
TEST_F(Merge, AWaitThatNeverEndedCountsUntilTheEndOfTheJob) {
  RecordedPe zero(folder_, 0, 2, 0);
  RecordedPe one(folder_, 1, 2, 0);
  zero.count(Call::shmem_my_pe, Kind::kQuery, 0x10, {.begin = 0, .end = 10});
  const std::uint32_t site = one.site(Call::shmem_barrier_all, Kind::kBarrier, 0x40);
  one.recorder().go_inside(site, 4 * kMs);
  const auto meetings = profile::open_meetings(folder_.c_str());
  ASSERT_TRUE(meetings);
  (*meetings)->ended_ns = 7 * kMs;
  const Profile profile = merged();
  EXPECT_EQ(profile.pes[1].end, End::kKilled);
  EXPECT_NEAR(profile.pes[1].inside_seconds, 0.003, kNear);
  EXPECT_NEAR(profile.pes[1].waiting, 0.003, kNear);
  EXPECT_NEAR(profile.pes[1].life, 0.007, kNear);
  const Place& place = profile.places[static_cast<std::size_t>(profile.pes[1].inside_site)];
  EXPECT_EQ(place.routine, "shmem_barrier_all");
  EXPECT_EQ(place.all.count, 0U);
  EXPECT_NEAR(place.all.seconds, 0.003, kNear);
  EXPECT_NEAR(profile.waits[0].seconds, 0.003, kNear);
}

TEST_F(Merge, APeWithoutARecordingHasAnEmptyPlace) {
  RecordedPe two(folder_, 2, 3, 0);
  two.count(Call::shmem_my_pe, Kind::kQuery, 0x10, {.begin = 0, .end = 10});
  two.end(100);
  const Profile profile = merged();
  EXPECT_EQ(profile.n_pes(), 3);
  EXPECT_EQ(profile.pes[0].threads, 0);
  EXPECT_EQ(profile.pes[2].threads, 1);
}

TEST_F(Merge, PlacesWithoutDebugInformationAreOffsets) {
  RecordedPe zero(folder_, 0, 1, 0);
  zero.count(Call::shmem_my_pe, Kind::kQuery, 0x10, {.begin = 0, .end = 10});
  zero.end(100);
  Profile profile = merged();
  describe_places(profile, "/nowhere/weft-where");
  EXPECT_EQ(profile.places[0].where, "solve+0x10");
}

TEST_F(Merge, AsksForAllPlacesAtOnce) {
  RecordedPe zero(folder_, 0, 1, 0);
  zero.count(Call::shmem_my_pe, Kind::kQuery, 0x10, {.begin = 0, .end = 10});
  zero.count(Call::shmem_n_pes, Kind::kQuery, 0x20, {.begin = 10, .end = 30});
  zero.end(100);
  Profile profile = merged();
  const std::string where = folder_ + "/where";
  // Answers with its arguments, as lines; and an empty one, which is none.
  std::ofstream(where) << "#!/bin/sh\necho \"$1 $2 $3\"\necho\n";
  std::filesystem::permissions(where, std::filesystem::perms::owner_all);
  describe_places(profile, where);
  EXPECT_EQ(profile.places[0].where, "-e /home/some one/solve 0x20");
  EXPECT_EQ(profile.places[1].where, "solve+0x10");
}

TEST_F(Merge, TheTraceIsInOrder) {
  RecordedPe zero(folder_, 0, 1, 0, 8);
  for (std::uint64_t k = 0; k < 10; ++k) {
    zero.count(Call::shmem_long_p, Kind::kPut, 0x10, {.begin = 100 * k, .end = 100 * k + 50, .bytes = 8, .peer = 0});
  }
  zero.end(2000);
  const Profile profile = merged();
  ASSERT_EQ(profile.events.size(), 8U);
  EXPECT_NEAR(profile.events[0].begin, 200e-9, 1e-12);
  EXPECT_NEAR(profile.events[7].begin, 900e-9, 1e-12);
}

TEST_F(Merge, MessagesAreCountedByPeerWayAndSender) {
  RecordedPe zero(folder_, 0, 2, 0);
  RecordedPe one(folder_, 1, 2, 0);
  zero.header()->hashes[profile::kMpi] = profile::hash_of_mpi();
  zero.recorder().count_sent(1, 100);
  zero.recorder().count_sent(1, 28);
  zero.recorder().add_time_of_send(28, 500);
  const auto receive = static_cast<std::uint32_t>(api::mpi::Call::MPI_Recv);
  const std::uint32_t site = zero.recorder().site(receive, Kind::kWait, 0x1010);
  zero.recorder().count(site, Kind::kWait, {.begin = 100, .end = 900, .last = 1, .late = 600, .by_message = true});
  one.header()->came[3][profile::size_class(100)].count = 1;
  one.header()->came[3][profile::size_class(100)].bytes = 100;
  zero.end(1000);
  one.end(1000);
  const Profile profile = merged();
  const auto& sent = profile.pairs[static_cast<std::size_t>(Kind::kSend)];
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].to, 1);
  EXPECT_EQ(sent[0].count, 2U);
  EXPECT_EQ(sent[0].bytes, 128U);
  ASSERT_EQ(profile.senders.size(), 1U);
  EXPECT_EQ(profile.senders[0].last, 1);
  EXPECT_NEAR(profile.senders[0].seconds, 600e-9, 1e-12);
  EXPECT_TRUE(profile.late.empty());
  EXPECT_EQ(profile.ways[3][static_cast<std::size_t>(profile::size_class(100))].all.bytes, 100U);
  const auto routine = std::find_if(profile.routines.begin(), profile.routines.end(),
                                    [](const Routine& each) { return each.name == "MPI_Recv"; });
  EXPECT_NE(routine, profile.routines.end());
}

TEST_F(Merge, CallsOfAnInterfaceThatIsNotToldOfAreRefused) {
  RecordedPe zero(folder_, 0, 1, 0);
  (void)zero.recorder().site(static_cast<std::uint32_t>(api::mpi::Call::MPI_Recv), Kind::kWait, 0x1010);
  const auto unknown = load(folder_);
  ASSERT_FALSE(unknown);
  EXPECT_NE(std::string(unknown.error().text()).find("a call in it is of no routine"), std::string::npos);
  zero.header()->hashes[profile::kMpi] = profile::hash_of_mpi() ^ 1;
  const auto other = load(folder_);
  ASSERT_FALSE(other);
  EXPECT_NE(std::string(other.error().text()).find("another version"), std::string::npos);
}

TEST_F(Merge, RefusesWhatIsNoRecording) {
  const auto none = load(folder_);
  ASSERT_FALSE(none);
  EXPECT_NE(std::string(none.error().text())
                .find("has no recording (pe.0.weft); did its program call shmem_init, "
                      "MPI_Init or weft_shared_init?"),
            std::string::npos);
  std::ofstream(folder_ + "/pe.0.weft") << "something else";
  const auto shorter = load(folder_);
  ASSERT_FALSE(shorter);
  EXPECT_NE(std::string(shorter.error().text()).find("too short"), std::string::npos);
  std::ofstream(folder_ + "/pe.0.weft") << std::string(40000, 'x');
  const auto other = load(folder_);
  ASSERT_FALSE(other);
  EXPECT_NE(std::string(other.error().text()).find("is not a recording"), std::string::npos);
  RecordedPe zero(folder_, 0, 1, 0);
  zero.header()->calls_hash ^= 1;
  const auto version = load(folder_);
  ASSERT_FALSE(version);
  EXPECT_NE(std::string(version.error().text()).find("another version"), std::string::npos);
  zero.header()->calls_hash ^= 1;
  zero.header()->interface = 5;
  const auto interface = load(folder_);
  ASSERT_FALSE(interface);
  EXPECT_NE(std::string(interface.error().text()).find("(interface 5)"), std::string::npos);
  EXPECT_FALSE(load("/nowhere"));
}

}  // namespace
}  // namespace weft::report
