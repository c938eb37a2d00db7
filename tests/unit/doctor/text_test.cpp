#include "doctor/text.hpp"

#include <gtest/gtest.h>

#include "pes.hpp"

namespace weft::doctor {
namespace {

using api::Call;
using Lines = std::vector<std::string>;

class MadeUp : public Names {
 public:
  std::string site(int /*pe*/, std::uint64_t site) const override {
    return site == 0 ? "" : "a.c:" + std::to_string(site);
  }
  std::string object(int /*pe*/, boot::Place place) const override { return "v" + std::to_string(place); }
  std::optional<std::uint64_t> value(int /*pe*/, boot::Place place, int /*bytes*/) const override {
    return place == 9 ? std::nullopt : std::optional<std::uint64_t>(held);
  }
  std::uint64_t held = 0xfffffffe;
};

const std::uint64_t kNow = 32 * kSecond;

TEST(Text, NumbersBecomeRanges) {
  EXPECT_EQ(ranges({}), "");
  EXPECT_EQ(ranges({7}), "7");
  EXPECT_EQ(ranges({0, 1}), "0, 1");
  EXPECT_EQ(ranges({0, 1, 2, 4, 6, 7, 8, 9}), "0-2, 4, 6-9");
}

TEST(Text, DurationsAreForPeople) {
  EXPECT_EQ(duration(400'000'000), "0.4 s");
  EXPECT_EQ(duration(31 * kSecond), "31 s");
  EXPECT_EQ(duration(1800 * kSecond), "30 min");
  EXPECT_EQ(duration(9000 * kSecond), "2.5 h");
}

TEST(Text, ABarrierThatOneHasNotReached) {
  Wait wait = meets(Call::shmem_barrier_all, 12, 0, 4);
  wait.site = 88;
  Wait later = wait;
  later.since += 5 * kSecond;
  Pe last = running(Call::shmem_long_p);
  last.site = 7;
  EXPECT_EQ(doings({waiting(later), last, waiting(wait), waiting(later)}, MadeUp(), kNow),
            (Lines{"PEs 0, 2, 3 have waited up to 31 s in shmem_barrier_all (#12) at a.c:88; PE 1 has not arrived",
                   "PE 1 does not wait in Weft; its last call there was shmem_long_p at a.c:7"}));
}

TEST(Text, ATeamIsNamedByItsMembers) {
  Wait wait = meets(Call::shmem_team_sync, 3, 1, 2, 7);
  wait.stride = 2;
  EXPECT_EQ(doings({running(), waiting(wait), running(), running()}, MadeUp(), kNow)[1],
            "PE 1 has waited 31 s in shmem_team_sync (#3 of the team of PEs 1, 3); PE 3 has not arrived");
}

TEST(Text, ValuesHaveTheirType) {
  MadeUp names;
  const std::string begin = "PE 0 has waited 31 s in shmem_int_wait_until on v5, which holds ";
  EXPECT_EQ(doings({waiting(values(5, 6, -3, 4 | boot::kSigned))}, names, kNow)[0], begin + "-2 and must become >= -3");
  EXPECT_EQ(doings({waiting(values(5, 2, 3, 4))}, names, kNow)[0], begin + "4294967294 and must become != 3");
  names.held = 0xff80;
  EXPECT_EQ(doings({waiting(values(5, 1, 3, 1 | boot::kSigned))}, names, kNow)[0], begin + "-128 and must become == 3");
  EXPECT_EQ(doings({waiting(values(9, 3, 3, 8))}, names, kNow)[0],
            "PE 0 has waited 31 s in shmem_int_wait_until on v9, which must become < 3");
}

TEST(Text, SeveralElements) {
  Wait wait = values(5, 1, 1, 8);
  wait.elements = 20;
  EXPECT_NE(doings({waiting(wait)}, MadeUp(), kNow)[0].find("on 20 elements from v5 on, the first of which holds"),
            std::string::npos);
}

TEST(Text, WhoHoldsTheLock) {
  std::vector<Pe> pes = {waiting(locks(3)), running()};
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[0], "PE 0 has waited 31 s in shmem_set_lock for the lock v3");
  pes[1].locks = {3};
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[0], "PE 0 has waited 31 s in shmem_set_lock for the lock v3, which PE 1 holds");
}

TEST(Text, PesThatDoNotWait) {
  std::vector<Pe> pes(5);
  pes[0].alive = false;
  pes[2].phase = boot::Phase::kAttached;
  pes[3].phase = boot::Phase::kFinalised;
  pes[4].stopped = true;
  EXPECT_EQ(doings(pes, MadeUp(), kNow),
            (Lines{"PE 0 has ended", "PE 1 has not loaded Weft yet", "PE 2 has not called shmem_init yet",
                   "PE 3 goes on after shmem_finalize", "PE 4 is stopped, by a signal or a debugger"}));
}

TEST(Text, ANumberThatIsNoCallIsNotTrusted) {
  Pe pe = running();
  pe.call = 0xdeadbeef;
  EXPECT_EQ(doings({pe}, MadeUp(), kNow)[0], "PE 0 does not wait in Weft; its last call there was a routine of Weft");
}

std::string first_sentence(const std::vector<Pe>& pes) {
  const auto found = diagnose(pes);
  return found.empty() ? "" : sentence(found[0], pes, MadeUp());
}

TEST(Text, SentencesNameBothSides) {
  Wait one = meets(Call::shmem_barrier_all, 2, 0, 2);
  one.site = 1;
  Wait other = meets(Call::shmem_long_broadcast, 2, 0, 2);
  other.site = 2;
  other.root = 1;
  EXPECT_EQ(
      first_sentence({waiting(one), waiting(other)}),
      "PE 0 is in shmem_barrier_all (#2) at a.c:1 where PE 1 is in shmem_long_broadcast (#2) at a.c:2; the members "
      "of a team must make the same collective calls in the same order");
  one = other;
  one.root = 0;
  EXPECT_EQ(
      first_sentence({waiting(one), waiting(other)}),
      "PE 0 is in shmem_long_broadcast (#2) at a.c:2 with root 0, PE 1 with root 1; all members must give the same "
      "root");
}

TEST(Text, ADeadlockIsACircle) {
  std::vector<Pe> pes = {waiting(locks(1)), waiting(locks(2))};
  pes[0].locks = {2};
  pes[1].locks = {1};
  EXPECT_EQ(
      first_sentence(pes),
      "deadlock: PE 0 waits for PE 1 in shmem_set_lock (lock v1), PE 1 waits for PE 0 in shmem_set_lock (lock v2)");
}

}  // namespace
}  // namespace weft::doctor
