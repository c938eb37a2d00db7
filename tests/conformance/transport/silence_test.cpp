// A PE of another node that says nothing any more: libfabric does not tell, so the leaf does. Stopped, it is as silent
// as a host that is off.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "transport/transport.hpp"

extern "C" weft::transport::Transport* weft_transport(const weft::transport::Setup& setup, char* why, std::size_t room);

namespace weft::transport {
namespace {

char g_told[256];

struct Common {
  std::atomic<int> opened;
};

Transport* open(boot::JobHeader* job, Common* common, int me) {
  char why[512] = "";
  Setup setup{job, me,
              [](const char* operation, int pe, const char* text) noexcept {
                (void)std::snprintf(g_told, sizeof g_told, "%s with PE %d: %s", operation, pe, text);
              },
              []() noexcept {}};
  setup.timeout = 2;
  Transport* network = weft_transport(setup, why, sizeof why);
  boot::PeerCard* card = boot::peer_card(job, me);
  card->node = static_cast<std::uint32_t>(me);
  if (network == nullptr || !network->open(card)) {
    (void)std::fprintf(stderr, "%s\n", why);
    ::_exit(4);
  }
  for (++common->opened; common->opened != 2;) {
    ::usleep(1000);
  }
  return network;
}

template <class T>
T* shared(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<T*>(at);
}

TEST(Silence, OfAnotherNodeIsTold) {
  auto* job = shared<boot::JobHeader>(boot::control_bytes(1, 2));
  auto* common = shared<Common>(sizeof(Common));
  ASSERT_TRUE(job != nullptr && common != nullptr);
  job->n_pes = 1;
  job->job_pes = 2;
  job->n_nodes = 2;
  const pid_t other = ::fork();
  if (other == 0) {
    for (Transport* network = open(job, common, 1);;) {
      (void)network->sleep(100);
      network->progress();
    }
  }
  Transport* network = open(job, common, 0);
  using Clock = std::chrono::steady_clock;
  // Twice the time, in which nothing else is said: signs of life are enough.
  for (const auto end = Clock::now() + std::chrono::seconds(4); Clock::now() < end && g_told[0] == '\0';) {
    (void)network->sleep(50);
    network->progress();
  }
  EXPECT_STREQ(g_told, "");
  EXPECT_EQ(::kill(other, SIGSTOP), 0);
  while (g_told[0] == '\0') {
    (void)network->sleep(50);
    network->progress();
  }
  EXPECT_STREQ(g_told, "contact with PE 1: it has said nothing for 2 s");
  (void)::kill(other, SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, 0), other);
}

}  // namespace
}  // namespace weft::transport
