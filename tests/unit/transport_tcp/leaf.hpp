// One PE's leaf, and a test in the place of the other PE of the job, which has a socket instead of one.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport/tcp/proof.hpp"
#include "transport/tcp/socket.hpp"
#include "transport/tcp/tcp.hpp"

namespace weft::transport::tcp {

/// What the leaf has told.
struct Said {
  int gone = -1;
  std::string failed;
  std::string refused;
};
inline Said g_told;

class LeafTest : public testing::Test {
 protected:
  static constexpr int kPes = 2;

  void SetUp() override {
    void* at = ::mmap(nullptr, kJobBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    job = static_cast<boot::JobHeader*>(at);
    job->n_pes = 1;
    job->job_pes = kPes;
    job->n_nodes = kPes;
    job->key[0] = 0x1234;
    job->key[1] = 0x5678;
    g_told = {};
    setup = {job,
             me,
             [](const char* operation, int pe, const char* why) noexcept {
               g_told.failed = std::string(operation) + " with PE " + std::to_string(pe) + ": " + why;
             },
             []() noexcept {},
             [](int pe) noexcept { g_told.gone = pe; },
             [](int pe, const char* what) noexcept { g_told.refused = "PE " + std::to_string(pe) + " " + what; }};
    start();
  }
  void TearDown() override {
    for (const int fd : fds) (void)::close(fd);
    network.reset();
    (void)::munmap(job, kJobBytes);
  }
  void start() {
    network = std::make_unique<Tcp>(setup);
    ASSERT_TRUE(network->prepare());
    ASSERT_TRUE(network->open(boot::peer_card(job, me)));
    const auto lent = network->lend({heap, sizeof heap});
    ASSERT_TRUE(lent);
    heap_key = *lent;
  }

  /// A socket that the test closes at its end.
  int keep(int fd) {
    fds.push_back(fd);
    return fd;
  }
  void let_go(int fd) {
    std::erase(fds, fd);
    (void)::close(fd);
  }
  /// Like one of the job that comes, up to the first word. Blocking, as sockets of tests are.
  int come() {
    const Addresses there = read_card(*boot::peer_card(job, me));
    const SocketAddress to(there.list[0], there.port);
    const int fd = keep(::socket(there.list[0].family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(fd, to.get(), to.bytes), 0);
    return fd;
  }
  template <class T>
  static void say(int fd, const T& what) {
    ASSERT_EQ(::send(fd, &what, sizeof what, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof what));
  }
  /// All of it, while the leaf goes on; false: the connection ends, or nothing comes for long.
  bool hear_bytes(int fd, void* to, std::size_t bytes) {
    std::size_t came = 0;
    for (int looks = 0; came < bytes && looks < 10'000; ++looks) {
      network->progress();
      const ssize_t part = ::recv(fd, static_cast<std::byte*>(to) + came, bytes - came, MSG_DONTWAIT);
      if (part == 0 || (part < 0 && errno != EAGAIN)) return false;
      came += part > 0 ? static_cast<std::size_t>(part) : 0;
      if (part < 0) ::usleep(500);
    }
    return came == bytes;
  }
  template <class T>
  bool hear(int fd, T* what) {
    return hear_bytes(fd, what, sizeof *what);
  }

  /// What the other PE says when it has been challenged.
  Hello hello(const Challenge& challenge) const {
    Hello made{1 - me, me, {{7}}, {}};
    made.proof = prove(job->key, Role::kCaller, {made.from, made.to, challenge.nonce, made.nonce});
    return made;
  }
  /// One that is welcome as the other PE; -1: it is not.
  int come_in() {
    const int fd = come();
    Challenge challenge{};
    Welcome welcome{};
    if (!hear(fd, &challenge)) return -1;
    say(fd, hello(challenge));
    return hear(fd, &welcome) ? fd : -1;
  }

  Request put_at(std::uint64_t offset, std::uint64_t bytes) const {
    Request request{};
    request.key = heap_key.key;
    request.ask = Ask::kPut;
    request.bytes = bytes;
    request.offset = offset;
    return request;
  }

  /// What comes back: an answer, or the end of the connection.
  enum class Ending { kAnswered, kClosed, kNothing };
  Ending ending(int fd, int ms = 200) {
    for (int looks = 0; looks < ms; ++looks) {
      network->progress();
      Response response;
      const ssize_t came = ::recv(fd, &response, sizeof response, MSG_DONTWAIT);
      if (came > 0) return Ending::kAnswered;
      if (came == 0 || errno == ECONNRESET) return Ending::kClosed;
      ::usleep(1000);
    }
    return Ending::kNothing;
  }
  template <class Done>
  bool eventually(Done&& done, int ms = 10'000) {
    for (int looks = 0; looks < ms; ++looks) {
      if (done()) return true;
      network->progress();
      ::usleep(1000);
    }
    return false;
  }

  alignas(64) std::byte heap[4096] = {};
  RegionKey heap_key;  // of that
  int me = 0;          // before SetUp()
  boot::JobHeader* job = nullptr;
  transport::Setup setup{};
  std::unique_ptr<Tcp> network;
  std::vector<int> fds;

 private:
  static constexpr std::size_t kJobBytes = boot::control_bytes(1, kPes);
};

}  // namespace weft::transport::tcp
