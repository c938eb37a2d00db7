// Tickets of large messages: where in the stage these go on, and what ends a job in which one was written over.
#include <sched.h>

#include "job.hpp"

namespace weft::fault {
namespace {

class Tickets : public JobTest {
 protected:
  // The job's end, and what it says of the ticket that was written over so.
  void expect_told(const std::string& how, const std::string& what) {
    cpu_set_t processors;
    ASSERT_EQ(::sched_getaffinity(0, sizeof processors, &processors), 0);
    if (CPU_COUNT(&processors) < 2) GTEST_SKIP() << "ranks that share a processor copy nothing together";
    environment = {"WEFT_SINGLE_COPY=cma"};
    const Output output = job({"-n", "2", "--timeout", "20s", WEFT_TICKETS, how});
    if (lines_with(output.out, "nobody may read here") > 0) GTEST_SKIP() << "the system lets nobody read another";
    EXPECT_NE(output.ending.exit_code, 0);
    EXPECT_NE(output.ending.exit_code, 124) << output.err;
    EXPECT_EQ(lines_with(output.err, what), 1) << output.out << output.err;
  }
};

TEST_F(Tickets, GoOnRoundTheStage) {
  environment = {"WEFT_SINGLE_COPY=none"};
  const Output output = job({"-n", "2", WEFT_TICKETS, "round"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, " is done"), 2) << output.out;
}

TEST_F(Tickets, DataOfSomePagesComesUnasked) {
  environment = {"WEFT_SINGLE_COPY=none"};
  const Output output = job({"-n", "2", WEFT_TICKETS, "unasked"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, " is done"), 2) << output.out;
}

TEST_F(Tickets, WhatWasFoundIsTold) {
  const Output output = job({"-n", "2", WEFT_TICKETS, "found"});
  EXPECT_EQ(output.ending.exit_code, 0) << output.err;
  EXPECT_EQ(lines_with(output.out, " is done"), 2) << output.out;
}

TEST_F(Tickets, PiecesAreNobodys) {
  expect_told("nobody", "what PE 0 has written for this one is damaged: pieces of a message are nobody's;");
}

TEST_F(Tickets, PiecesAreTakenTwice) {
  expect_told("less", "what PE 0 has written for this one is damaged: it has taken pieces that are not its own;");
}

TEST_F(Tickets, PiecesAreWrittenThatWereNotTaken) {
  expect_told("written", "what PE 0 has written for this one is damaged: it has written pieces that it did not take;");
}

TEST_F(Tickets, TheSendersPlaceIsNone) {
  expect_told("place", "what PE 0 has written for this one is damaged: the place of a message's data is none;");
}

TEST_F(Tickets, TheReceiversPlaceIsNone) {
  expect_told("target", "what PE 1 has written for this one is damaged: the place of a message's data is none;");
}

TEST_F(Tickets, TheSendersPiecesAreOthers) {
  expect_told("blocks", "what PE 0 has written for this one is damaged: the list of a message's pieces is none;");
}

TEST_F(Tickets, TheSendersPiecesAreOne) {
  expect_told("whole", "what PE 0 has written for this one is damaged: the list of a message's pieces is none;");
}

}  // namespace
}  // namespace weft::fault
