// A second interface, of which the doctor, the launcher and the generator know nothing but its table (toy/).
#include <gtest/gtest.h>

#include "api/toy/calls.hpp"
#include "calls/calls.hpp"
#include "doctor/pes.hpp"
#include "doctor/text.hpp"
#include "launch_rules/watch_job.hpp"

namespace weft {
namespace {

using api::toy::Call;
using Lines = std::vector<std::string>;

constexpr auto kReceive = static_cast<calls::Number>(Call::toy_receive);

class NoNames : public doctor::Names {
 public:
  std::string site(int, std::uint64_t site) const override { return site == 0 ? "" : "a.c:" + std::to_string(site); }
  std::string object(int, const doctor::Wait&) const override { return "v"; }
  std::optional<std::uint64_t> value(int, boot::Place, int) const override { return std::nullopt; }
};

TEST(TwoInterfaces, EachHasItsTable) {
  EXPECT_EQ(kReceive, 0x02000002U);
  EXPECT_EQ(calls::name_of(kReceive), "toy_receive");
  EXPECT_STREQ(api::toy::call_name(Call::toy_receive), "toy_receive");
  EXPECT_EQ(calls::kind_of(kReceive), api::Kind::kWait);
  EXPECT_EQ(calls::kind_of(static_cast<calls::Number>(Call::toy_send)), api::Kind::kPut);
  EXPECT_EQ(calls::name_of(kReceive + 1), "") << "it has two routines only";
  EXPECT_EQ(calls::name_of(static_cast<calls::Number>(api::Call::shmem_init)), "shmem_init");
  EXPECT_STREQ(calls::interface_name(1), "") << "a number in between is nobody's";
  EXPECT_EQ(calls::name_of(0x01000001), "call 1 of interface 1");
}

TEST(TwoInterfaces, TheDoctorNamesTheRoutinesOfBoth) {
  doctor::Wait wait;
  wait.why = boot::Waiting::kTeam;
  wait.call = kReceive;
  wait.since = doctor::kSecond;
  wait.site = 7;
  doctor::Pe begins = doctor::running();
  begins.phase = boot::Phase::kAttached;
  begins.call = calls::none_of(2);
  doctor::Pe ended = begins;
  ended.phase = boot::Phase::kFinalised;
  doctor::Pe quiet = begins;
  quiet.phase = boot::Phase::kInitialised;
  const std::vector<doctor::Pe> pes = {doctor::running(api::Call::shmem_long_p), begins, ended, doctor::waiting(wait),
                                       quiet};
  EXPECT_EQ(doctor::doings(pes, NoNames(), 32 * doctor::kSecond),
            (Lines{"PE 0 does not wait in Weft; its last call there was shmem_long_p",
                   "PE 1 has not called toy_begin yet", "PE 2 goes on after toy_end",
                   "PE 3 has waited 31 s in toy_receive at a.c:7", "PE 4 does not wait in Weft"}));
}

TEST(TwoInterfaces, WordsAndNumbersComeFromTheOneTable) {
  EXPECT_STREQ(api::toy::words::kInterface, "Toy");
  EXPECT_STREQ(api::toy::words::kBegin, calls::words_of(kReceive).init);
  EXPECT_STREQ(api::toy::words::kEnd, calls::words_of(kReceive).finalize);
  EXPECT_STREQ(api::toy::words::kExitAll, calls::words_of(kReceive).exit);
  EXPECT_EQ(api::InterfaceNumber::kToy, static_cast<api::InterfaceNumber>(calls::interface_of(kReceive)));
}

class TwoInterfacesTest : public launch::rules::WatchTest {};

TEST_F(TwoInterfacesTest, TheLauncherSpeaksOfTheRoutinesOfTheOneThatLeft) {
  begin(3);
  in_phase(boot::Phase::kInitialised);
  boot::pe_record(job, 1)->call = static_cast<calls::Number>(Call::toy_send);
  waits(0, boot::Waiting::kBarrier);
  waits(2, boot::Waiting::kBarrier);
  for (const int pe : {0, 2}) boot::pe_record(job, pe)->call = kReceive;
  pass(1000);
  ends(1, launch::rules::exited(0));
  pass(1000);
  EXPECT_EQ(take_said(), "PE 1 (pid 101) left without toy_end while PEs 0 and 2 wait in toy_receive; ending the job");
}

TEST_F(TwoInterfacesTest, TheLauncherKnowsTheLastCallOfBoth) {
  begin(2);
  in_phase(boot::Phase::kInitialised);
  boot::pe_record(job, 1)->call = kReceive;
  ends(1, launch::rules::exited(3));
  EXPECT_EQ(take_said(), "PE 1 (pid 101) exited with code 3; its last Weft call: toy_receive; ending the job");
}

TEST_F(TwoInterfacesTest, TheLauncherSaysTheNumberWhereThereIsNoTable) {
  begin(2);
  in_phase(boot::Phase::kInitialised);
  boot::pe_record(job, 1)->call = 0x05000011;
  ends(1, launch::rules::exited(3));
  EXPECT_EQ(take_said(),
            "PE 1 (pid 101) exited with code 3; its last Weft call: call 17 of interface 5; ending the job");
}

}  // namespace
}  // namespace weft
