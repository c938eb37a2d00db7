#include "doctor/text.hpp"

#include <gtest/gtest.h>

#include "calls/calls.hpp"
#include "doctor/whole.hpp"
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
  std::string object(int /*pe*/, const Wait& wait) const override { return "v" + std::to_string(wait.object); }
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

TEST(Text, ManyRangesAreCutOff) {
  std::vector<int> even;
  for (int pe = 0; pe < 4000; pe += 2) even.push_back(pe);
  const std::string text = ranges(even);
  EXPECT_LT(text.size(), 200U);
  EXPECT_NE(text.find(", 46 and 1976 more"), std::string::npos) << text;
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

TEST(Text, MissingElements) {
  Wait wait = values(5, 1, 1, 8);
  wait.given = 20;
  wait.index = 5;
  const auto about = [&] { return doings({waiting(wait)}, MadeUp(), kNow)[0]; };
  EXPECT_NE(about().find("must become == 1; it is element 5 of 20"), std::string::npos) << about();
  wait.missing = {{5, 5}, {9, 12}, {14, 15}};
  EXPECT_NE(about().find("must become == 1; elements 5, 9-12, 14, 15 of 20 are missing"), std::string::npos) << about();
  wait.missing = {{5, 5}};
  EXPECT_NE(about().find("; element 5 of 20 is missing"), std::string::npos) << about();
  wait.missing.assign(boot::kMissing, {5, 5});
  EXPECT_NE(about().find(" and perhaps more of 20 are missing"), std::string::npos) << about();
}

TEST(Text, TheCallsOfAPeThatRuns) {
  Pe one = running(Call::shmem_long_p);
  one.stack = {"solve at a.c:3", "main at a.c:9"};
  Pe other = one;
  other.stack = {"main at a.c:9"};
  EXPECT_EQ(doings({one, other, one}, MadeUp(), kNow),
            (Lines{"PEs 0, 2: each does not wait in Weft; its last call there was shmem_long_p", "  in solve at a.c:3",
                   "  in main at a.c:9", "PE 1 does not wait in Weft; its last call there was shmem_long_p",
                   "  in main at a.c:9"}));
}

TEST(Text, DamagedNotes) {
  Pe pe = running();
  pe.damage = "77 members of a team";
  EXPECT_EQ(doings({pe}, MadeUp(), kNow)[0],
            "PE 0 has notes that cannot be its own, such as 77 members of a team: a store of the program has hit them");
  EXPECT_TRUE(safe_mode_helps({}, {pe}));
  EXPECT_FALSE(safe_mode_helps({}, {running()}));
}

Wait locks_with(boot::Place lock, std::uint64_t ticket) {
  Wait wait = locks(lock);
  wait.type = 8;
  wait.wanted = ticket;
  return wait;
}

TEST(Text, TheQueueOfALock) {
  MadeUp names;
  names.held = (std::uint64_t{2} << 32) | 0xffffffff;  // tickets wrap: 0 and 1 wait
  std::vector<Pe> pes = {waiting(locks_with(3, 1)), running(), waiting(locks_with(3, 0))};
  EXPECT_EQ(lock_queues(pes, names), Lines{"the lock v3: ticket 4294967295 is served, which no PE is known to have; "
                                           "next is PE 2 (ticket 0), then PE 0 (ticket 1)"});
  pes[1].locks = {3};
  EXPECT_NE(lock_queues(pes, names)[0].find("which PE 1 has; next is PE 2"), std::string::npos);
  names.held = 77;
  EXPECT_EQ(lock_queues(pes, names),
            Lines{"the lock v3: its word is 77 on PE 0, which does not fit the tickets of those "
                  "that wait: it was not 0 before its first use, or a store has hit it"});
  names.held = 0;
  pes[0].waits[0].type = 0;  // a lock that migrates has no tickets
  pes[2].waits.clear();
  EXPECT_TRUE(lock_queues(pes, names).empty());
}

TEST(Text, CollectivesAreCounted) {
  std::vector<Pe> pes(4, waiting(meets(Call::shmem_barrier_all, 6, 0, 4)));
  for (Pe& pe : pes) pe.collectives = 6;
  EXPECT_EQ(collective_counts(pes), "");
  pes[3] = running();
  pes[3].collectives = 5;
  EXPECT_EQ(collective_counts(pes), "PE 3 has made 5 collective calls, the others 6");
  for (Pe& pe : pes) pe.waits.clear();
  EXPECT_EQ(collective_counts(pes), "") << "nobody waits for that";
}

TEST(Text, APeThatEndsTooEarly) {
  Wait ends = meets(Call::shmem_finalize, 6, 0, 2);
  ends.why = boot::Waiting::kFinalize;
  const std::vector<Pe> pes = {waiting(meets(Call::shmem_barrier_all, 6, 0, 2)), waiting(ends)};
  const auto found = diagnose(pes);
  ASSERT_EQ(found.size(), 1U);
  const std::string text = sentence(found[0], pes, MadeUp());
  EXPECT_NE(text.find("; PE 1 has made 5 collective calls and ends, PE 0 is in its #6"), std::string::npos) << text;
  EXPECT_TRUE(safe_mode_helps(found, pes));
}

// What a store of the program has made of two records.
TEST(Text, CallsOfNumberZeroAreNotCounted) {
  Wait ends = meets(Call::shmem_finalize, 0, 0, 2);
  ends.why = boot::Waiting::kFinalize;
  const std::vector<Pe> pes = {waiting(meets(Call::shmem_barrier_all, 0, 0, 2)), waiting(ends)};
  for (const Finding& finding : diagnose(pes)) {
    EXPECT_EQ(sentence(finding, pes, MadeUp()).find("has made"), std::string::npos);
  }
}

TEST(Text, WhoHoldsTheLock) {
  std::vector<Pe> pes = {waiting(locks(3)), running()};
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[0], "PE 0 has waited 31 s in shmem_set_lock for the lock v3");
  pes[1].locks = {3};
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[0], "PE 0 has waited 31 s in shmem_set_lock for the lock v3, which PE 1 holds");
}

TEST(Text, MessagesAreToldByTagAndPe) {
  Wait wait = locks(0);
  wait.why = boot::Waiting::kMessage;
  wait.root = 0;
  wait.index = 7;
  EXPECT_EQ(doings({running(), waiting(wait)}, MadeUp(), kNow)[1],
            "PE 1 has waited 31 s in shmem_set_lock for a message with tag 7 of PE 0");
  wait.compare = boot::kToBeTaken;
  EXPECT_EQ(doings({running(), waiting(wait)}, MadeUp(), kNow)[1],
            "PE 1 has waited 31 s in shmem_set_lock until PE 0 takes a message with tag 7");
  wait.compare = 0;
  wait.root = -1;
  wait.index = static_cast<std::uint32_t>(-2);
  EXPECT_EQ(doings({running(), waiting(wait)}, MadeUp(), kNow)[1],
            "PE 1 has waited 31 s in shmem_set_lock for a message of any PE");
}

TEST(Text, WindowsAreToldByLockAndPe) {
  Wait wait = locks(0);
  wait.why = boot::Waiting::kWindow;
  wait.index = 1;
  const auto told = [&] {
    const std::string line = doings({running(), waiting(wait)}, MadeUp(), kNow)[1];
    return line.substr(line.find("shmem_set_lock") + sizeof "shmem_set_lock" - 1);
  };
  EXPECT_EQ(told(), " for the shared lock of PE 1 in a window");
  wait.root = 0;
  wait.type = 1;
  wait.label = "matrix";
  EXPECT_EQ(told(), " for the exclusive lock of PE 1 in the window matrix, which PE 0 holds");
  wait.root = -1;
  wait.given = 1;
  EXPECT_EQ(told(), " for the exclusive lock of PE 1 in the window matrix, which one has locked shared");
  wait.given = 3;
  EXPECT_EQ(told(), " for the exclusive lock of PE 1 in the window matrix, which 3 have locked shared");
  wait.given = 0;
  wait.type = 2;
  EXPECT_EQ(told(), " for its turn to change elements of PE 1 in the window matrix");
  wait.type = 3;
  EXPECT_EQ(told(), " until PE 1 lets it access the window matrix (MPI_Win_post)");
  wait.type = 4;
  EXPECT_EQ(told(), " until PE 1 has ended its accesses to the window matrix (MPI_Win_complete)");
  wait.compare = boot::kToBeTaken;
  EXPECT_EQ(told(),
            " until PE 1 has taken word of what has ended or may begin in the window matrix (MPI_Win_unlock, "
            "MPI_Win_complete, MPI_Win_post)");
}

// By what is asked, of whom and for whose sake.
TEST(Text, PagesAreToldByWhatIsAsked) {
  Wait wait = locks(4);
  wait.why = boot::Waiting::kPages;
  wait.site = 7;
  wait.root = 0;
  std::vector<Pe> pes = {running(), waiting(wait)};
  const auto told = [&](boot::OfPages what) {
    pes[1].waits[0].type = static_cast<std::uint32_t>(what);
    const std::string line = doings(pes, MadeUp(), kNow)[1];
    const std::string begin = "PE 1 has waited 31 s in shmem_set_lock at a.c:7";
    EXPECT_EQ(line.rfind(begin, 0), 0U) << line;
    return line.substr(std::min(line.size(), begin.size()));
  };
  EXPECT_EQ(told(boot::OfPages::kContents), " for the contents of what lies v4, whose home is PE 0");
  EXPECT_EQ(told(boot::OfPages::kHome), " to hear which is the home of what lies v4 from PE 0");
  EXPECT_EQ(told(boot::OfPages::kChanges), " until what was written v4 has come to its home, PE 0");
  EXPECT_EQ(told(boot::OfPages::kNotices), " until word of what was written v4 has come to PE 0");
  EXPECT_EQ(told(boot::OfPages::kWord), " for an operation on the word v4, whose home is PE 0");
  EXPECT_EQ(told(boot::OfPages::kBook), " for the book of which blocks are in use (v4), which PE 0 has");
  pes[0].stopped = true;
  EXPECT_EQ(told(boot::OfPages::kContents), " for the contents of what lies v4, whose home is PE 0, which is stopped");

  pes[1].waits[0].compare = static_cast<std::uint32_t>(boot::PagesFor::kAccess);
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[1],
            "PE 1 has waited 31 s in an access to shared memory at a.c:7 for the contents of what lies v4, whose home "
            "is PE 0, which is stopped");
  // Then what the program does is told as well.
  pes[1].waits[0].compare = static_cast<std::uint32_t>(boot::PagesFor::kBeside);
  EXPECT_EQ(
      doings(pes, MadeUp(), kNow),
      (Lines{"PE 0 is stopped, by a signal or a debugger",
             "PE 1 has waited 31 s beside its program for the contents of what lies v4, whose home is PE 0, which "
             "is stopped",
             "PE 1 does not wait in Weft; its last call there was shmem_set_lock"}));
}

TEST(Text, ALockInSharedMemory) {
  Wait wait = locks(boot::kInShared);
  wait.root = 0;
  std::vector<Pe> pes = {running(), waiting(wait)};
  const std::string begin = "PE 1 has waited 31 s in shmem_set_lock for the lock v" + std::to_string(boot::kInShared);
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[1], begin);
  pes[0].stopped = true;
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[1], begin + ", whose home, PE 0, is stopped");
  pes[0].locks = {boot::kInShared};
  EXPECT_EQ(doings(pes, MadeUp(), kNow)[1], begin + ", which PE 0 holds");
}

TEST(Text, WhoHoldsAWindowsLock) {
  Wait wait = locks(0);
  wait.why = boot::Waiting::kWindow;
  wait.index = wait.start = 1;
  wait.wanted = 77;
  wait.number = 5;
  Wait before = wait;
  before.type = 1;
  before.number = 4;
  Pe reader = running();
  reader.window_locks = {{.window = 77, .first = 0, .last = 2, .label = "matrix"}};
  std::vector<Pe> pes = {reader, waiting(wait), reader, running()};
  const auto told = [&] {
    const std::string line = doings(pes, MadeUp(), kNow)[1];
    return line.substr(line.find("shmem_set_lock") + sizeof "shmem_set_lock" - 1);
  };
  EXPECT_EQ(told(), " for the shared lock of PE 1 in a window, which PEs 0, 2 have locked shared");
  pes[3] = waiting(before);
  EXPECT_EQ(told(),
            " for the shared lock of PE 1 in a window, which PEs 0, 2 have locked shared; PE 3 waits before it");
  pes[0].window_locks[0].exclusive = true;
  pes[2] = pes[3] = running();
  EXPECT_EQ(told(), " for the shared lock of PE 1 in a window, which PE 0 holds");

  EXPECT_EQ(lock_text(pes[0].window_locks[0], "rank"), "the exclusive locks of 3 ranks in the window matrix");
  EXPECT_EQ(lock_text({.window = 77, .first = 1, .last = 1}, "rank"), "the shared lock of one rank in a window");
  EXPECT_EQ(lock_text({.window = 77, .first = 1, .last = 1, .pe = 4}, "rank"), "the shared lock of rank 4 in a window");
}

// As MPI programs have it: by rank, with the communicator and what has come instead.
TEST(Text, MessagesOfRanks) {
  Wait wait = locks(0);
  wait.why = boot::Waiting::kMessage;
  wait.call = calls::none_of(1) + 1;
  wait.root = 0;
  wait.index = 7;
  wait.label = "MPI_COMM_WORLD";
  wait.heard = {{0, 8, false}, {1, 3, false}, {0, 7, true}};
  Pe other = running();
  other.call = wait.call;
  const auto told = [&] {
    const std::string line = doings({other, waiting(wait)}, MadeUp(), kNow)[1];
    return line.substr(line.find(calls::name_of(wait.call)) + calls::name_of(wait.call).size());
  };
  EXPECT_EQ(doings({other, waiting(wait)}, MadeUp(), kNow)[1].rfind("rank 1 has waited 31 s in ", 0), 0U);
  EXPECT_EQ(told(),
            " for a message with tag 7 of rank 0 (MPI_COMM_WORLD); rank 0 has sent tag 8, tag 7 in another "
            "communicator; rank 1 has sent tag 3");
  wait.heard.clear();
  wait.compare = boot::kUnderWay;
  EXPECT_EQ(told(), " for the data of a message with tag 7 of rank 0 (MPI_COMM_WORLD)");
  wait.compare = boot::kToBeTaken | boot::kNoRoom;
  wait.given = std::uint64_t{64} << 20;
  EXPECT_EQ(told(),
            " until rank 0 takes a message with tag 7 (MPI_COMM_WORLD); rank 0 keeps 64 MiB of messages that it "
            "has not asked for, as much as it may (WEFT_MPI_UNEXPECTED), and has to receive some before more "
            "can come");
  wait.compare = 0;
  wait.type = static_cast<std::uint32_t>(boot::Awaits::kOneOf);
  wait.elements = 3;
  EXPECT_EQ(told(),
            " for one of 3 requests, the first of which waits for a message with tag 7 of rank 0 (MPI_COMM_WORLD)");
  wait.type = static_cast<std::uint32_t>(boot::Awaits::kProgram);
  EXPECT_EQ(told(), " until the program says that its own request is complete");
}

// In a program that uses both interfaces.
TEST(Text, AJobOfBothHasPes) {
  Pe mpi = running();
  mpi.call = calls::none_of(1) + 1;
  EXPECT_EQ(word_for({mpi, mpi}), "rank");
  EXPECT_EQ(word_for({mpi, running()}), "rank");  // it has called nothing
  EXPECT_EQ(word_for({mpi, running(Call::shmem_my_pe)}), "PE");
  EXPECT_EQ(word_for({running(), running()}), "PE");
}

TEST(Text, PesThatDoNotWait) {
  std::vector<Pe> pes(7);
  pes[0].alive = false;
  pes[2].phase = boot::Phase::kAttached;
  pes[3].phase = boot::Phase::kFinalised;
  pes[4].stopped = true;
  pes[5].phase = boot::Phase::kServing;
  pes[6].phase = boot::Phase::kServed;
  EXPECT_EQ(doings(pes, MadeUp(), kNow),
            (Lines{"PE 0 has ended", "PE 1 has not loaded Weft yet", "PE 2 has not called shmem_init yet",
                   "PE 3 goes on after shmem_finalize", "PE 4 is stopped, by a signal or a debugger",
                   "PE 5 serves others and does not run main", "PE 6 ends, after it has served others"}));
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
