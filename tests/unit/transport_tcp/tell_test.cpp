// Messages on the wire: PE 1 is a socket, which says and hears what the leaf does with them.
#include <thread>

#include "leaf.hpp"

namespace weft::transport::tcp {
namespace {

constexpr Kind kKind = 20;

/// What a handler of this PE has seen, and what it does.
struct Seen {
  std::vector<Arrival> placed;
  std::vector<Arrival> arrived;
  int lost = 0;
  void* at = nullptr;
  bool answers = false;
  std::vector<std::byte> answer;
  bool answered_again = false;
  bool keeps = false;
  Owed* owed = nullptr;
};

Landing place(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
  auto& seen = *static_cast<Seen*>(self);
  seen.placed.push_back(arrival);
  return {seen.at, self};
}
void arrived(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
  auto& seen = *static_cast<Seen*>(self);
  seen.arrived.push_back(arrival);
  if (seen.keeps) {
    seen.owed = answerer.keep();
    EXPECT_EQ(answerer.keep(), nullptr);
    EXPECT_FALSE(answerer.answer({kKind, nullptr, 0, nullptr, 0}));
  }
  if (seen.answers) {
    const Message what{kKind, "yes", 3, seen.answer.data(), seen.answer.size()};
    EXPECT_EQ(answerer.answer(what), !arrival.is_answer);
    seen.answered_again = answerer.answer(what);
  }
}
void lost(void* self, const Arrival& /*arrival*/) noexcept { ++static_cast<Seen*>(self)->lost; }

class TellTest : public LeafTest {
 protected:
  void SetUp() override {
    LeafTest::SetUp();
    ASSERT_TRUE(kinds.add(kKind, {place, arrived, lost, &seen}));
    setup.kinds = &kinds;
    start();
  }
  static Request message(std::uint64_t bytes, Kind kind = kKind, Ask ask = Ask::kTell) {
    Request made{};
    made.ask = ask;
    made.kind = kind;
    made.head_bytes = 4;
    made.bytes = bytes;
    std::memcpy(&made.key, "head", 4);
    return made;
  }
  Told tell(const void* data = nullptr, std::uint64_t bytes = 0) {
    return network->tell(1 - me, {kKind, "head", 4, data, bytes}, pending);
  }
  Kinds kinds;
  Seen seen;
  Pending pending;
};

class TellHere : public TellTest {
 protected:
  void SetUp() override {
    TellTest::SetUp();
    fd = come_in();
    ASSERT_GE(fd, 0);
  }
  void refused(const Request& request, const std::string& why) {
    say(fd, request);
    EXPECT_EQ(ending(fd), Ending::kClosed);
    EXPECT_EQ(g_told.refused, "PE 1 " + why);
    EXPECT_TRUE(seen.placed.empty());
  }
  int fd = -1;
};

TEST_F(TellHere, TheHandlerSaysWhereTheDataGoes) {
  std::uint64_t room = 0;
  seen.at = &room;
  say(fd, message(8));
  EXPECT_TRUE(eventually([&] { return !seen.placed.empty(); }));
  EXPECT_TRUE(seen.arrived.empty());
  say(fd, std::uint64_t{77});
  EXPECT_TRUE(eventually([&] { return !seen.arrived.empty(); }));
  EXPECT_EQ(room, 77U);
  const Arrival& arrival = seen.arrived[0];
  EXPECT_EQ(arrival.pe, 1);
  EXPECT_EQ(arrival.kind, kKind);
  EXPECT_FALSE(arrival.is_answer);
  EXPECT_EQ(arrival.bytes, 8U);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(arrival.head), arrival.head_bytes), "head");
  EXPECT_EQ(arrival.landing.at, &room);
  EXPECT_EQ(arrival.landing.cookie, &seen);
}

// Larger than what is read at a time, and a put behind it.
TEST_F(TellHere, OrNowhere) {
  const std::vector<std::byte> data(200'000, std::byte{0xff});
  std::thread sender([&] {
    say(fd, message(data.size()));
    ASSERT_EQ(::send(fd, data.data(), data.size(), MSG_NOSIGNAL), static_cast<ssize_t>(data.size()));
    say(fd, put_at(8, 8));
    say(fd, std::uint64_t{5});
  });
  EXPECT_EQ(ending(fd, 10'000), Ending::kAnswered);
  sender.join();
  EXPECT_EQ(seen.arrived.size(), 1U);
  std::uint64_t put = 0;
  std::memcpy(&put, heap + 8, sizeof put);
  EXPECT_EQ(put, 5U);
}

TEST_F(TellHere, AndAnswersOnce) {
  seen.answers = true;
  seen.answer.assign(kMostAnswer, std::byte{9});
  say(fd, message(0));
  Response response{};
  AnswerHead head{};
  std::vector<std::byte> data(seen.answer.size());
  ASSERT_TRUE(hear(fd, &response) && hear(fd, &head) && hear_bytes(fd, data.data(), data.size()));
  EXPECT_EQ(response.answer, Answer::kTold);
  EXPECT_EQ(response.value, data.size());
  EXPECT_EQ(head.kind, kKind);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(head.head), head.head_bytes), "yes");
  EXPECT_TRUE(data == seen.answer);
  EXPECT_FALSE(seen.answered_again);
}

// Its answers are not read, and yet each message is answered: those have room of their own.
TEST_F(TellHere, WhoTellsHasRoomAgainForWhatWasTaken) {
  seen.answers = true;
  std::uint64_t room = 0;
  for (std::uint32_t k = 0; k < 10 * kMostTold; ++k) {
    say(fd, message(0));
    network->progress();
    Response response{};
    AnswerHead head{};
    ASSERT_TRUE(hear(fd, &response));
    if (response.answer == Answer::kRoom) {
      room += response.value;
      ASSERT_TRUE(hear(fd, &response));
    }
    ASSERT_EQ(response.answer, Answer::kTold);
    ASSERT_TRUE(hear(fd, &head));
  }
  EXPECT_GE(room + kMostTold, 10 * kMostTold);
  EXPECT_LE(room, 10 * kMostTold);
}

// More is expected from who talks, so that its connection is read first; others come in nevertheless.
TEST_F(TellHere, WhoTalksKeepsNobodyAway) {
  seen.answers = true;
  const int other = come();
  Challenge challenge{};
  std::size_t came = 0;
  for (std::size_t told = 0; told < 1000 && came < sizeof challenge; ++told) {
    say(fd, message(0));
    EXPECT_TRUE(eventually([&] { return seen.arrived.size() == told + 1; }));
    std::byte answers[4096];
    (void)::recv(fd, answers, sizeof answers, MSG_DONTWAIT);
    const ssize_t part = ::recv(other, &challenge, sizeof challenge, MSG_DONTWAIT);
    came += part > 0 ? static_cast<std::size_t>(part) : 0;
  }
  EXPECT_EQ(came, sizeof challenge);
  EXPECT_EQ(challenge.magic, Challenge::kMagic);
}

TEST_F(TellHere, AKindWithoutAHandlerIsRefused) {
  refused(message(8, kKind + 1), "tells what nobody here has a handler for");
}
TEST_F(TellHere, AKindThatThereIsNot) { refused(message(8, 255), "tells what is no message"); }
TEST_F(TellHere, AHeadThatIsTooLong) {
  Request request = message(8);
  request.head_bytes = kMostHead + 1;
  refused(request, "tells what is no message");
}
TEST_F(TellHere, ALengthThatThereIsNot) { refused(message(UINT64_MAX - 40), "tells what is no message"); }

TEST_F(TellHere, WhoEndsInTheMiddleIsForgotten) {
  static std::byte room[64];
  seen.at = room;
  say(fd, message(64));
  say(fd, std::uint64_t{1});
  EXPECT_TRUE(eventually([&] { return !seen.placed.empty(); }));
  let_go(fd);
  EXPECT_TRUE(eventually([&] { return seen.lost == 1; }));
  EXPECT_TRUE(seen.arrived.empty());
  EXPECT_EQ(g_told.gone, 1);
}

// By another thread than the one that lets the network go on, which here is nobody's.
TEST_F(TellHere, AnAnswerMayComeLater) {
  seen.keeps = true;
  say(fd, message(0));
  EXPECT_TRUE(eventually([&] { return seen.owed != nullptr; }));
  EXPECT_EQ(ending(fd, 20), Ending::kNothing);
  const std::uint64_t data = 77;
  std::thread([&] { EXPECT_TRUE(seen.owed->answer({kKind, "late", 4, &data, sizeof data})); }).join();
  Response response{};
  AnswerHead head{};
  std::uint64_t came = 0;
  ASSERT_TRUE(hear(fd, &response) && hear(fd, &head) && hear(fd, &came));
  EXPECT_EQ(response.answer, Answer::kTold);
  EXPECT_EQ(response.value, sizeof data);
  EXPECT_EQ(std::memcmp(head.head, "late", 4), 0);
  EXPECT_EQ(came, data);
}

TEST_F(TellHere, ALateAnswerGoesToWhoHasAsked) {
  seen.keeps = true;
  say(fd, message(0));
  EXPECT_TRUE(eventually([&] { return seen.owed != nullptr; }));
  let_go(fd);
  EXPECT_TRUE(eventually([&] { return g_told.gone == 1; }));
  const int again = come_in();
  ASSERT_GE(again, 0);
  EXPECT_TRUE(seen.owed->answer({kKind, nullptr, 0, nullptr, 0}));
  EXPECT_EQ(ending(again, 20), Ending::kNothing);
}

/// This PE tells by the connection that the other one has made.
class TellBack : public TellHere {
 protected:
  /// What has come by it is a message; its data is left where it is.
  bool is_told() {
    return hear(fd, &response) && response.answer == Answer::kTells && hear(fd, &head) && head.kind == kKind &&
           std::memcmp(head.head, "head", 4) == 0;
  }
  Response response{};
  AnswerHead head{};
};

TEST_F(TellBack, ByTheConnectionThatThereIs) {
  const std::uint64_t value = 9;
  EXPECT_EQ(tell(&value, sizeof value), Told::kDone);
  ASSERT_TRUE(is_told());
  EXPECT_EQ(response.value, sizeof value);
  std::uint64_t came = 0;
  EXPECT_TRUE(hear(fd, &came));
  EXPECT_EQ(came, value);
}

TEST_F(TellBack, AnswersGoToTheHandler) {
  EXPECT_EQ(tell(), Told::kDone);
  ASSERT_TRUE(is_told());
  seen.answers = true;  // which it may not
  say(fd, message(0, kKind, Ask::kToldBack));
  EXPECT_TRUE(eventually([&] { return !seen.arrived.empty(); }));
  EXPECT_TRUE(seen.arrived[0].is_answer);
  EXPECT_FALSE(seen.answered_again);
}

TEST_F(TellBack, ThereIsRoomForSoManyAndAgainForWhatWasTaken) {
  std::uint32_t told = 0;
  while (told <= kMostTold && tell() == Told::kDone) ++told;
  EXPECT_EQ(told, kMostTold);
  Request taken{};
  taken.ask = Ask::kTaken;
  taken.bytes = 1;
  say(fd, taken);
  EXPECT_TRUE(eventually([&] { return tell() == Told::kDone; }));
  Request more = message(0);
  more.taken = 2;
  say(fd, more);
  EXPECT_TRUE(eventually([&] { return tell() == Told::kDone; }));
  EXPECT_EQ(tell(), Told::kDone);
  EXPECT_EQ(tell(), Told::kAgain);
}

TEST_F(TellBack, WhatIsTakenIsSaidWithTheNextMessage) {
  say(fd, message(0));
  say(fd, message(0));
  EXPECT_TRUE(eventually([&] { return seen.arrived.size() == 2; }));
  EXPECT_EQ(tell(), Told::kDone);
  ASSERT_TRUE(is_told());
  EXPECT_EQ(response.times, 2U);
}

TEST_F(TellBack, WhoGivesMoreRoomThanThereIsIsLeft) {
  Request taken{};
  taken.ask = Ask::kTaken;
  taken.bytes = 1;
  say(fd, taken);
  EXPECT_EQ(ending(fd), Ending::kClosed);
}

TEST_F(TellBack, AndWithAMessageToo) {
  Request more = message(0);
  more.taken = 1;
  say(fd, more);
  EXPECT_EQ(ending(fd), Ending::kClosed);
  EXPECT_TRUE(seen.placed.empty());
}

TEST_F(TellBack, AnAnswerThatIsTooLongIsRefused) {
  refused(message(kMostAnswer + 1, kKind, Ask::kToldBack), "tells what is no message");
}

// A later one is made as it would have been without it.
TEST_F(TellBack, AConnectionThatEndsIsNotToldBy) {
  EXPECT_EQ(tell(), Told::kDone);
  ASSERT_TRUE(is_told());
  let_go(fd);
  EXPECT_TRUE(eventually([&] { return g_told.gone == 1; }));
  fd = come_in();
  ASSERT_GE(fd, 0);
  EXPECT_EQ(tell(), Told::kDone);
  EXPECT_TRUE(is_told());
}

// Else this PE would go on as if it had been heard.
TEST_F(TellBack, AMessageThatIsLostIsNotSentForNothing) {
  EXPECT_EQ(tell(), Told::kDone);
  let_go(fd);  // which has not read it
  EXPECT_TRUE(eventually([&] { return !g_told.failed.empty(); }));
  EXPECT_EQ(g_told.failed, "a message with PE 1: Connection reset by peer");
}

/// The other PE is a socket that is told, and says so as it likes.
class TellThere : public TellTest {
 protected:
  void SetUp() override {
    TellTest::SetUp();
    const auto made = listen_on(nullptr, "lo");
    ASSERT_TRUE(made);
    ASSERT_TRUE(tell_addresses(keep(*made), "lo", boot::peer_card(job, 1 - me)));
    // What brings the connection about.
    ASSERT_EQ(tell(nullptr, 0), Told::kDone);
    ASSERT_TRUE(eventually([&] { return (fd = ::accept4(*made, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; }));
    keep(fd);
    Hello hello{};
    say(fd, Challenge{Challenge::kMagic, {}});
    ASSERT_TRUE(hear(fd, &hello));
    say(fd, Welcome{prove(job->key, Role::kListener, {hello.from, hello.to, {}, hello.nonce})});
    ASSERT_EQ(heard(), Ask::kTell);
  }
  /// Of the next request, whose data is left where it is.
  Ask heard() { return hear(fd, &request) ? request.ask : Ask::kBye; }
  Request request{};
  int fd = -1;
};

TEST_F(TellThere, TheHeadIsInTheRequest) {
  std::uint64_t value = 9;
  EXPECT_EQ(tell(&value, sizeof value), Told::kDone);
  EXPECT_EQ(heard(), Ask::kTell);
  EXPECT_EQ(request.kind, kKind);
  EXPECT_EQ(request.bytes, sizeof value);
  EXPECT_EQ(request.head_bytes, 4);
  EXPECT_EQ(std::memcmp(&request.key, "head", 4), 0);
  std::uint64_t came = 0;
  EXPECT_TRUE(hear(fd, &came));
  EXPECT_EQ(came, value);
}

// More than a socket takes: it stays the caller's until all of it is on its way.
TEST_F(TellThere, LargeDataStaysTheCallers) {
  const std::vector<std::byte> data(std::size_t{32} << 20, std::byte{4});
  EXPECT_EQ(tell(data.data(), data.size()), Told::kPosted);
  EXPECT_FALSE(pending.done());
  EXPECT_EQ(heard(), Ask::kTell);
  std::vector<std::byte> came(data.size());
  std::size_t at = 0;
  EXPECT_TRUE(eventually([&] {
    const ssize_t part = ::recv(fd, came.data() + at, came.size() - at, MSG_DONTWAIT);
    at += part > 0 ? static_cast<std::size_t>(part) : 0;
    return at == came.size();
  }));
  EXPECT_TRUE(came == data);
  EXPECT_TRUE(eventually([&] { return pending.done(); }));
}

TEST_F(TellThere, ThereIsRoomForSoManyAndAgainForWhatWasTaken) {
  std::uint32_t told = 1;  // the first
  while (told <= kMostTold && tell(nullptr, 0) == Told::kDone) ++told;
  EXPECT_EQ(told, kMostTold);
  EXPECT_EQ(tell(nullptr, 0), Told::kAgain);
  say(fd, Response{Answer::kRoom, 1, 2});
  EXPECT_TRUE(eventually([&] { return tell(nullptr, 0) == Told::kDone; }));
  EXPECT_EQ(tell(nullptr, 0), Told::kDone);
  EXPECT_EQ(tell(nullptr, 0), Told::kAgain);
  EXPECT_EQ(g_told.failed + g_told.refused, "");
}

TEST_F(TellThere, AnswersGoToTheHandler) {
  std::uint64_t room = 0;
  seen.at = &room;
  seen.answers = true;  // which it may not
  AnswerHead head{kKind, 3, {}, {}};
  std::memcpy(head.head, "yes", 3);
  say(fd, Response{Answer::kTold, 1, sizeof room});
  say(fd, head);
  say(fd, std::uint64_t{55});
  EXPECT_TRUE(eventually([&] { return !seen.arrived.empty(); }));
  EXPECT_TRUE(seen.arrived[0].is_answer);
  EXPECT_EQ(seen.arrived[0].pe, 1);
  EXPECT_EQ(room, 55U);
  EXPECT_FALSE(seen.answered_again);
}

// Of two that have both told by their own connections the smaller number's is kept.
TEST_F(TellThere, WhoHasTheSmallerNumberStays) {
  ASSERT_GE(come_in(), 0);
  EXPECT_EQ(tell(nullptr, 0), Told::kDone);
  EXPECT_EQ(heard(), Ask::kTell);
}

class TellMoves : public TellThere {
 protected:
  TellMoves() { me = 1; }
  void SetUp() override {
    TellThere::SetUp();
    theirs = come_in();
    ASSERT_GE(theirs, 0);
  }
  int theirs = -1;
};

TEST_F(TellMoves, WhenAllHasComeThatWasTold) {
  EXPECT_EQ(tell(), Told::kAgain);
  EXPECT_EQ(heard(), Ask::kMove);
  EXPECT_EQ(tell(), Told::kAgain);
  say(fd, Response{Answer::kMoved, 1, 0});
  EXPECT_TRUE(eventually([&] { return tell() == Told::kDone; }));
  Response response{};
  ASSERT_TRUE(hear(theirs, &response));
  EXPECT_EQ(response.answer, Answer::kTells);
}

TEST_F(TellMoves, NotWhereTheOtherOneTellsByIt) {
  say(fd, Response{Answer::kTells, 0, 0});
  say(fd, AnswerHead{kKind, 0, {}, {}});
  EXPECT_TRUE(eventually([&] { return seen.arrived.size() == 1; }));
  EXPECT_FALSE(seen.arrived[0].is_answer);
  EXPECT_EQ(tell(), Told::kDone);
  EXPECT_EQ(heard(), Ask::kTell);
  EXPECT_EQ(request.taken, 1);
}

TEST_F(TellMoves, BackWhereThatConnectionEnds) {
  EXPECT_EQ(tell(), Told::kAgain);
  EXPECT_EQ(heard(), Ask::kMove);
  let_go(theirs);
  EXPECT_TRUE(eventually([&] { return g_told.gone == 0; }));
  say(fd, Response{Answer::kMoved, 1, 0});
  EXPECT_TRUE(eventually([&] { return tell() == Told::kDone; }));
  EXPECT_EQ(heard(), Ask::kTell);
}

TEST_F(TellMoves, WhoSaysSoUnaskedIsLeft) {
  say(fd, Response{Answer::kMoved, 1, 0});
  EXPECT_EQ(ending(fd), Ending::kClosed);
}

// Answers go the way of their messages.
TEST_F(TellThere, IsToldAndAnswers) {
  seen.answers = true;
  say(fd, Response{Answer::kTells, 0, 0});
  say(fd, AnswerHead{kKind, 0, {}, {}});
  EXPECT_EQ(heard(), Ask::kToldBack);
  EXPECT_EQ(std::memcmp(&request.key, "yes", 3), 0);
  EXPECT_FALSE(seen.answered_again);
}

TEST_F(TellThere, IsToldAndAnswersLater) {
  seen.keeps = true;
  say(fd, Response{Answer::kTells, 0, 0});
  say(fd, AnswerHead{kKind, 0, {}, {}});
  EXPECT_TRUE(eventually([&] { return seen.owed != nullptr; }));
  std::thread([&] { EXPECT_TRUE(seen.owed->answer({kKind, "late", 4, nullptr, 0})); }).join();
  EXPECT_EQ(heard(), Ask::kToldBack);
  EXPECT_EQ(std::memcmp(&request.key, "late", 4), 0);
}

TEST_F(TellThere, SaysWhatWasTakenBeforeRoomEnds) {
  for (std::uint32_t k = 0; k < kMostTold / 4 - 1; ++k) {
    say(fd, Response{Answer::kTells, 0, 0});
    say(fd, AnswerHead{kKind, 0, {}, {}});
  }
  EXPECT_TRUE(eventually([&] { return seen.arrived.size() == kMostTold / 4 - 1; }));
  say(fd, Response{Answer::kTells, 0, 0});
  say(fd, AnswerHead{kKind, 0, {}, {}});
  EXPECT_EQ(heard(), Ask::kTaken);
  EXPECT_EQ(request.bytes, kMostTold / 4);
}

TEST_F(TellThere, WhoAnswersNonsenseIsLeft) {
  say(fd, Response{Answer::kTold, 1, kMostAnswer + 1});
  EXPECT_EQ(ending(fd), Ending::kClosed);
}
TEST_F(TellThere, WhoGivesMoreRoomThanThereIsIsLeft) {
  say(fd, Response{Answer::kRoom, 1, kMostTold + 1});
  EXPECT_EQ(ending(fd), Ending::kClosed);
}
TEST_F(TellThere, WhoAnswersWithAHeadThatIsTooLongIsLeft) {
  say(fd, Response{Answer::kTold, 1, 0});
  say(fd, AnswerHead{kKind, kMostHead + 1, {}, {}});
  EXPECT_EQ(ending(fd), Ending::kClosed);
  EXPECT_TRUE(seen.placed.empty());
}

}  // namespace
}  // namespace weft::transport::tcp
