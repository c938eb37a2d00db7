// Who reaches the port of a PE and is none of the job, or is one and asks for what cannot be.
#include <fcntl.h>
#include <sys/resource.h>

#include <chrono>

#include "leaf.hpp"
#include "support/process.hpp"

namespace weft::transport::tcp {
namespace {

using Clock = std::chrono::steady_clock;

class Strangers : public LeafTest {
 protected:
  /// What becomes of one who says this after the challenge.
  Ending after(const Hello& said) {
    const int fd = come();
    Challenge challenge{};
    EXPECT_TRUE(hear(fd, &challenge));
    say(fd, said);
    return ending(fd);
  }
  int challenged(Challenge* challenge) {
    const int fd = come();
    EXPECT_TRUE(hear(fd, challenge));
    return fd;
  }
  bool is_served(int fd) {
    say(fd, put_at(4088, 8));
    say(fd, std::uint64_t{77});
    return ending(fd) == Ending::kAnswered && static_cast<int>(heap[4088]) == 77;
  }
  int gone(int fd) {
    let_go(fd);
    (void)eventually([] { return g_told.gone >= 0; }, 100);
    return g_told.gone;
  }
};

TEST_F(Strangers, OneOfTheJobIsServed) { EXPECT_TRUE(is_served(come_in())); }

TEST_F(Strangers, AnotherKeyIsRefused) {
  Challenge challenge{};
  const int fd = challenged(&challenge);
  Hello other = hello(challenge);
  const std::uint64_t key[2] = {0x1234, 0x5679};
  other.proof = prove(key, Role::kCaller, {1, 0, challenge.nonce, other.nonce});
  say(fd, other);
  say(fd, put_at(0, 8));
  say(fd, std::uint64_t{77});
  EXPECT_EQ(ending(fd), Ending::kClosed);
  EXPECT_EQ(heap[0], std::byte{0});
}

// What one has proved to another PE, to this one before, or as another PE, proves nothing.
TEST_F(Strangers, AProofServesOnce) {
  Challenge first{};
  Challenge second{};
  const int overheard = challenged(&first);
  const Hello good = hello(first);
  say(overheard, good);
  EXPECT_EQ(ending(overheard), Ending::kAnswered);  // it is welcome
  const int replayed = challenged(&second);
  EXPECT_NE(std::memcmp(&first.nonce, &second.nonce, sizeof first.nonce), 0);
  say(replayed, good);
  EXPECT_EQ(ending(replayed), Ending::kClosed);
}

TEST_F(Strangers, NeitherTheKeyNorTheSameProofComesBack) {
  Challenge challenge{};
  const int fd = challenged(&challenge);
  const Hello good = hello(challenge);
  say(fd, good);
  Welcome welcome{};
  ASSERT_TRUE(hear(fd, &welcome));
  EXPECT_FALSE(same(welcome.proof, good.proof));
  EXPECT_TRUE(same(welcome.proof, prove(job->key, Role::kListener, {1, 0, challenge.nonce, good.nonce})));
}

TEST_F(Strangers, WhoMeansAnotherPeIsRefused) {
  Challenge challenge{};
  const int fd = challenged(&challenge);
  Hello other{1, 1, {}, {}};
  other.proof = prove(job->key, Role::kCaller, {1, 1, challenge.nonce, other.nonce});
  say(fd, other);
  EXPECT_EQ(ending(fd), Ending::kClosed);
}

TEST_F(Strangers, WhoIsNoPeOfTheJobIsRefused) {
  for (const int from : {2, -1, INT32_MAX}) {
    Challenge challenge{};
    const int fd = challenged(&challenge);
    Hello other{from, 0, {}, {}};
    other.proof = prove(job->key, Role::kCaller, {from, 0, challenge.nonce, other.nonce});
    say(fd, other);
    EXPECT_EQ(ending(fd), Ending::kClosed) << from;
  }
}

TEST_F(Strangers, WhatIsNoHelloIsRefused) {
  const char said[sizeof(Hello)] = "GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: */*\r\n\r\n";
  Hello text;
  std::memcpy(&text, said, sizeof text);
  EXPECT_EQ(after(text), Ending::kClosed);
}

TEST_F(Strangers, WhoSaysNothingHasTwoSeconds) {
  Challenge challenge{};
  const int fd = challenged(&challenge);
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(ending(fd, 10'000), Ending::kClosed);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(1900));
}

TEST_F(Strangers, WhoSaysALittleNowAndThenToo) {
  Challenge challenge{};
  const int fd = challenged(&challenge);
  Ending how = Ending::kNothing;
  for (int k = 0; k < 100 && how == Ending::kNothing; ++k) {
    (void)::send(fd, "x", k % 2, MSG_NOSIGNAL);  // not as much as a Hello has
    how = ending(fd, 100);
  }
  EXPECT_EQ(how, Ending::kClosed);
}

// This PE may have been stopped since.
TEST_F(Strangers, WhoHasSaidAllInTimeIsWelcomeLater) {
  Challenge challenge{};
  const int fd = challenged(&challenge);
  say(fd, hello(challenge));
  ::usleep(2'200'000);
  Welcome welcome{};
  EXPECT_TRUE(hear(fd, &welcome));
  EXPECT_TRUE(is_served(fd));
}

TEST_F(Strangers, ManyOfThemDropTheOldest) {
  const int old = come();
  Challenge challenge{};
  ASSERT_TRUE(hear(old, &challenge));
  std::vector<int> more;
  for (int k = 0; k < 100; ++k) {
    more.push_back(come());
    network->progress();
  }
  EXPECT_EQ(ending(old), Ending::kClosed);
  ASSERT_TRUE(hear(more.front(), &challenge));
  EXPECT_EQ(ending(more.front()), Ending::kClosed);
  ASSERT_TRUE(hear(more.back(), &challenge));
  EXPECT_EQ(ending(more.back(), 20), Ending::kNothing);
  EXPECT_TRUE(is_served(come_in()));
  EXPECT_EQ(g_told.failed, "");
}

/// With no descriptors left but those that come back. In a process of its own, which cannot have its limit back.
class NoFiles : public Strangers {
 protected:
  template <class Body>
  void with_few(Body&& body) {
    test::Child child = test::Child::start([&] {
      const rlimit few{64, 64};
      EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
      body();
      return HasFailure() ? 1 : 0;
    });
    EXPECT_EQ(child.wait().exit_code, 0);
  }
  void use_up() {
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) keep(fd);
    ASSERT_EQ(errno, EMFILE);
  }
};

TEST_F(NoFiles, StrangersMakeRoom) {
  with_few([&] {
    const int old = come();
    Challenge challenge{};
    ASSERT_TRUE(hear(old, &challenge));
    const int other = come();
    use_up();
    EXPECT_TRUE(hear(other, &challenge));  // in the place of the old one
    EXPECT_EQ(ending(old), Ending::kClosed);
    EXPECT_EQ(g_told.failed, "");
  });
}

TEST_F(NoFiles, NobodyEndsTheJob) {
  with_few([&] {
    const int known = come_in();
    ASSERT_GE(known, 0);
    const int first = come();
    const int second = come();
    use_up();
    EXPECT_EQ(ending(first), Ending::kClosed);
    EXPECT_EQ(ending(second), Ending::kClosed);
    EXPECT_TRUE(is_served(known));
    EXPECT_EQ(g_told.failed, "");
    for (int k = 0; k < 3; ++k) let_go(fds.back());
    EXPECT_TRUE(is_served(come_in()));
  });
}

// --- members ---------------------------------------------------------------------------------------------------------

TEST_F(Strangers, APeThatEndsIsToldOf) {
  const int fd = come_in();
  EXPECT_TRUE(is_served(fd));
  EXPECT_EQ(gone(fd), 1);
}

TEST_F(Strangers, OneThatSaysByeFirstIsNot) {
  const int fd = come_in();
  Request bye{};
  bye.ask = Ask::kBye;
  say(fd, bye);
  EXPECT_EQ(gone(fd), -1);
}

TEST_F(Strangers, NorOneThatComesAgain) {
  const int fd = come_in();
  const int again = come_in();
  EXPECT_EQ(gone(fd), -1);
  EXPECT_TRUE(is_served(again));
  EXPECT_EQ(gone(again), 1);
}

TEST_F(Strangers, NorOneThatEndsAfterThisPeHasClosed) {
  const int fd = come_in();
  EXPECT_TRUE(is_served(fd));
  network->close();
  EXPECT_EQ(gone(fd), -1);
}

TEST_F(Strangers, NorSomebodyWhoIsNoneOfTheJob) {
  EXPECT_EQ(after({1, 0, {}, {}}), Ending::kClosed);
  EXPECT_EQ(g_told.gone, -1);
}

TEST_F(Strangers, WhatCannotBeIsRefusedAndWhoAskedIsNamed) {
  Request odd = put_at(4, 8);
  odd.ask = Ask::kFetch;
  odd.op = Op::kAdd;
  odd.type = Type::k64;
  Request signal = put_at(0, 8);
  signal.ask = Ask::kPutThen;
  signal.type = Type::k64;
  signal.signal_offset = 4096;
  Request type = put_at(0, 8);
  type.ask = Ask::kFetch;
  type.type = static_cast<Type>(kTypes);
  for (const Request& request :
       {put_at(4089, 8), put_at(UINT64_MAX, 8), put_at(8, UINT64_MAX), put_at(4096, 1), odd, signal, type}) {
    const int fd = come_in();
    g_told.refused.clear();
    say(fd, request);
    EXPECT_EQ(ending(fd), Ending::kClosed) << request.offset << ' ' << request.bytes;
    EXPECT_EQ(g_told.refused.substr(0, 5), "PE 1 ") << request.offset << ' ' << request.bytes;
  }
}

// Who asks for much and takes nothing must not fill this PE's memory.
TEST_F(Strangers, WhoTakesNoAnswersIsNotReadFrom) {
  const int fd = come_in();
  Request get = put_at(0, 8);
  get.ask = Ask::kGet;
  std::vector<Request> many(1000, get);
  std::size_t taken = 0;
  int full = 0;
  while (full < 200 && taken < std::size_t{1} << 30) {
    const std::size_t begun = taken % sizeof(Request);
    const ssize_t sent = ::send(fd, reinterpret_cast<const std::byte*>(many.data()) + begun,
                                many.size() * sizeof(Request) - begun, MSG_DONTWAIT | MSG_NOSIGNAL);
    taken += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    full = sent > 0 ? 0 : full + 1;
    network->progress();
    if (sent <= 0) ::usleep(1000);
  }
  EXPECT_EQ(full, 200) << taken;
  // And then, when it does, all are there.
  std::vector<Response> answers(taken / sizeof(Request));
  EXPECT_TRUE(hear_bytes(fd, answers.data(), answers.size() * sizeof(Response)));
}

}  // namespace
}  // namespace weft::transport::tcp
