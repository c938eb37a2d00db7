// Who reaches the port of a PE and is none of the job, or asks for what is not symmetric.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/tcp/address.hpp"
#include "transport/tcp/protocol.hpp"
#include "transport/tcp/tcp.hpp"

namespace weft::transport::tcp {
namespace {

int g_gone = -1;  // the PE of which the leaf has told that it has ended

class Strangers : public testing::Test {
 protected:
  void SetUp() override {
    const std::size_t bytes = boot::control_bytes(1, 2);
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    job = static_cast<boot::JobHeader*>(at);
    job->n_pes = 1;
    job->job_pes = 2;
    job->n_nodes = 2;
    job->key[0] = 0x1234;
    job->key[1] = 0x5678;
    told = {job, 0, [](const char*, int, const char*) noexcept {}, []() noexcept {},
            [](int pe) noexcept { g_gone = pe; }};
    g_gone = -1;
    network = new Tcp(told);  // lives as long as the process
    ASSERT_TRUE(network->prepare());
    const Memory regions[kRegions] = {{heap, sizeof heap}, {statics, sizeof statics}};
    ASSERT_TRUE(network->open(regions, boot::peer_card(job, 0)));
    const auto made = connect_to(*boot::peer_card(job, 0));
    ASSERT_TRUE(made);
    fd = *made;
  }
  void TearDown() override { (void)::close(fd); }

  static constexpr Hello kGood{Hello::kMagic, {0x1234, 0x5678}, 1, 0};
  static Request put_at(std::uint64_t offset, std::uint64_t bytes) {
    Request request{};
    request.ask = Ask::kPut;
    request.bytes = bytes;
    request.offset = offset;
    return request;
  }
  template <class T>
  void say(const T& what) {
    ASSERT_EQ(::send(fd, &what, sizeof what, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof what));
  }
  /// What comes back: an answer, or the end of the connection.
  enum class Ending { kAnswered, kClosed, kNothing };
  Ending ending() {
    for (int looks = 0; looks < 200; ++looks) {
      network->progress();
      Response response;
      const ssize_t came = ::recv(fd, &response, sizeof response, MSG_DONTWAIT);
      if (came > 0) return Ending::kAnswered;
      if (came == 0 || errno == ECONNRESET) return Ending::kClosed;
      ::usleep(1000);
    }
    return Ending::kNothing;
  }

  /// The PE that is told of after the connection has ended; -1: none.
  int gone() {
    (void)::close(std::exchange(fd, -1));
    for (int looks = 0; looks < 200 && g_gone < 0; ++looks) {
      network->progress();
      ::usleep(100);
    }
    return g_gone;
  }

  alignas(64) std::byte heap[4096] = {};
  alignas(64) std::byte statics[64] = {};
  boot::JobHeader* job = nullptr;
  transport::Setup told{};  // testing::Test has a Setup of its own
  Tcp* network = nullptr;
  int fd = -1;
};

TEST_F(Strangers, OneOfTheJobIsServed) {
  say(kGood);
  say(put_at(4088, 8));
  say(std::uint64_t{77});
  EXPECT_EQ(ending(), Ending::kAnswered);
  std::uint64_t there = 0;
  std::memcpy(&there, heap + 4088, sizeof there);
  EXPECT_EQ(there, 77U);
}

TEST_F(Strangers, AnotherKeyIsRefused) {
  Hello hello = kGood;
  hello.key[1] ^= 1;
  say(hello);
  say(put_at(0, 8));
  say(std::uint64_t{77});
  EXPECT_EQ(ending(), Ending::kClosed);
  EXPECT_EQ(heap[0], std::byte{0});
}

TEST_F(Strangers, WhoMeansAnotherPeIsRefused) {
  Hello hello = kGood;
  hello.to = 1;
  say(hello);
  EXPECT_EQ(ending(), Ending::kClosed);
}

TEST_F(Strangers, WhoIsNoPeOfTheJobIsRefused) {
  Hello hello = kGood;
  hello.from = 2;
  say(hello);
  EXPECT_EQ(ending(), Ending::kClosed);
}

TEST_F(Strangers, WhatIsNoHelloIsRefused) {
  const char text[64] = "GET / HTTP/1.1\r\nHost: somewhere\r\nAccept: */*\r\n\r\n";
  say(text);
  EXPECT_EQ(ending(), Ending::kClosed);
}

TEST_F(Strangers, WhoSaysNothingIsLeftAlone) { EXPECT_EQ(ending(), Ending::kNothing); }

TEST_F(Strangers, APeThatEndsIsToldOf) {
  say(kGood);
  say(put_at(0, 8));
  say(std::uint64_t{77});
  EXPECT_EQ(ending(), Ending::kAnswered);
  EXPECT_EQ(gone(), 1);
}

TEST_F(Strangers, OneThatSaysByeFirstIsNot) {
  Request bye{};
  bye.ask = Ask::kBye;
  say(kGood);
  say(bye);
  EXPECT_EQ(gone(), -1);
}

TEST_F(Strangers, NorOneThatEndsAfterThisPeHasClosed) {
  say(kGood);
  say(put_at(0, 8));
  say(std::uint64_t{77});
  EXPECT_EQ(ending(), Ending::kAnswered);
  network->close();
  EXPECT_EQ(gone(), -1);
}

TEST_F(Strangers, NorSomebodyWhoIsNoneOfTheJob) {
  Hello hello = kGood;
  hello.key[0] ^= 1;
  say(hello);
  EXPECT_EQ(ending(), Ending::kClosed);
  EXPECT_EQ(gone(), -1);
}

TEST_F(Strangers, MemoryThatIsNotSymmetricIsRefused) {
  for (const Request& request : {put_at(4089, 8), put_at(UINT64_MAX, 8), put_at(8, UINT64_MAX), put_at(4096, 1)}) {
    say(kGood);
    say(request);
    EXPECT_EQ(ending(), Ending::kClosed) << request.offset << ' ' << request.bytes;
    (void)::close(fd);
    const auto again = connect_to(*boot::peer_card(job, 0));
    ASSERT_TRUE(again);
    fd = *again;
  }
}

TEST_F(Strangers, ASignalThatIsNotSymmetricIsRefused) {
  Request request = put_at(0, 8);
  request.ask = Ask::kPutThen;
  request.type = Type::k64;
  request.op = Op::kAdd;
  request.signal_offset = 4096;
  say(kGood);
  say(request);
  EXPECT_EQ(ending(), Ending::kClosed);
}

TEST_F(Strangers, AnOperationThatThereIsNotIsRefused) {
  Request request{};
  request.ask = Ask::kFetch;
  request.type = static_cast<Type>(kTypes);
  say(kGood);
  say(request);
  EXPECT_EQ(ending(), Ending::kClosed);
}

}  // namespace
}  // namespace weft::transport::tcp
