#include "job/agent.hpp"

#include <cstddef>
#include <iterator>

#include "job/node.hpp"
#include "job/serving.hpp"
#include "progress/work.hpp"
#include "transport/transport.hpp"

namespace weft::job {
namespace {

// A message of the core's own, without contents: that it comes ends a sleep on the network.
constexpr transport::Kind kWake = 1;

// Under the mutex of start() and stop().
constinit int g_needed = 0;
constinit progress::Progress g_progress{};

constinit transport::Pending g_wakes{};  // nobody waits for them

// What this PE's threads sleep on for what the agent finds.
constinit progress::Bell g_bells[2]{};

void add_bells(SharedPe& own) noexcept {
  sync::Doorbell* const bells[] = {&own.value_bell, &own.active_set_bell};
  for (std::size_t k = 0; k < std::size(g_bells); ++k) {
    if (!g_bells[k].listed) {
      g_bells[k].what = bells[k];
      progress::add_bell(g_bells[k]);
    }
  }
}

transport::Landing place(void* /*self*/, const transport::Arrival& /*arrival*/,
                         transport::Answerer& /*answerer*/) noexcept {
  return {};
}

void arrived(void* /*self*/, const transport::Arrival& /*arrival*/, transport::Answerer& /*answerer*/) noexcept {}

}  // namespace

progress::Progress& agent() noexcept { return g_progress; }

void serve_nobody() noexcept { g_progress.stop(); }

base::Result<void> serve(transport::Transport* network) noexcept {
  g_progress.stop();
  if (network != nullptr) {
    (void)transport::kinds().add(kWake, {.place = place, .arrived = arrived});
    expect_dismissal();
  }
  const Node& here = node();
  SharedPe& own = shared_pe(here.job, here.local);
  add_bells(own);
  // Relaxed: who reads the old value rings a bell for nothing or tells what nobody sleeps for.
  own.agent_by_network.store(network != nullptr ? 1 : 0, std::memory_order_relaxed);
  return network != nullptr || g_needed > 0 ? g_progress.start(network, own.agent_bell) : base::Result<void>();
}

base::Result<void> need_agent() noexcept {
  if (g_needed == 0 && node().network == nullptr) {
    ++g_needed;
    if (const auto served = serve(nullptr); !served) {
      --g_needed;
      return served;
    }
    return {};
  }
  ++g_needed;
  return {};
}

void release_agent() noexcept {
  if (--g_needed == 0 && node().network == nullptr) {
    serve_nobody();
  }
}

void wake_agent(int number_here) noexcept {
  const Node& here = node();
  SharedPe& peer = shared_pe(here.job, number_here);
  // Relaxed: the caller's fence stands between its news and this, as in sync::ring.
  if (peer.agent_bell.sleepers.load(std::memory_order_relaxed) == 0) {
    return;
  }
  if (here.network == nullptr || peer.agent_by_network.load(std::memory_order_relaxed) == 0) {
    sync::ring(peer.agent_bell);
    return;
  }
  const int pe = here.pe_of(number_here);
  // Not now: as long as the agent sleeps it has not taken what is there, so that is on its way; or another thread lets
  // the network go on, or connections change. Not called by handlers of messages, as those have to return for that.
  while (here.network->tell(pe, {.kind = kWake}, g_wakes) == transport::Told::kAgain &&
         peer.agent_bell.sleepers.load(std::memory_order_relaxed) != 0) {
    here.network->progress();
  }
}

}  // namespace weft::job
