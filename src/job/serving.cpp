#include "job/serving.hpp"

#include <atomic>
#include <cstdlib>

#include "base/words.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "job/start.hpp"
#include "sync/waiter.hpp"
#include "transport/transport.hpp"

namespace weft::job {
namespace {

// A message of the core's own, without contents.
constexpr transport::Kind kDismiss = 2;

constinit bool g_serves = false;
constinit transport::Pending g_told{};  // nobody waits for it

void dismiss_here(SharedPe& peer) noexcept {
  // seq_cst: what the ring asks for, and the rest of what the caller has done comes before.
  (void)peer.dismissed.exchange(1, std::memory_order_seq_cst);
  sync::ring(peer.value_bell);
}

bool is_to_serve(const FrontEnd& front_end) noexcept {
  const Node& here = node();
  return front_end.serves != nullptr && here.job != nullptr && here.n_pes > 1 && front_end.serves(here);
}

transport::Landing place(void* /*self*/, const transport::Arrival& /*arrival*/,
                         transport::Answerer& /*answerer*/) noexcept {
  return {};
}

void arrived(void* /*self*/, const transport::Arrival& /*arrival*/, transport::Answerer& /*answerer*/) noexcept {
  dismiss_here(shared_pe(node().job, node().local));
}

}  // namespace

bool serves() noexcept { return g_serves; }

void serve_if_asked(const FrontEnd& front_end) noexcept {
  if (g_process.attach_failed || !is_to_serve(front_end)) {
    return;
  }
  g_serves = true;
  mark(boot::Phase::kServing);
  front_end.serve();
  mark(boot::Phase::kServed);
  std::exit(0);
}

base::Result<void> must_not_serve(const FrontEnd& front_end) noexcept {
  if (serves() || !is_to_serve(front_end)) {
    return {};
  }
  return base::Error::make("PE %d is to serve others instead of running the program, which takes oshrun", node().me);
}

void wait_until_dismissed() noexcept {
  const Node& here = node();
  SharedPe& own = shared_pe(here.job, here.local);
  // Acquire: what who told it had done before is visible.
  sync::wait(here.patience, own.value_bell, nullptr, sync::WaitNote{},
             [&own]() noexcept { return own.dismissed.load(std::memory_order_acquire) != 0; });
}

void dismiss(int pe) noexcept {
  const Node& here = node();
  if (const int number = here.here(pe); number >= 0) {
    dismiss_here(shared_pe(here.job, number));
    return;
  }
  while (here.network->tell(pe, {.kind = kDismiss}, g_told) == transport::Told::kAgain) {
    here.network->progress();
  }
}

void expect_dismissal() noexcept { (void)transport::kinds().add(kDismiss, {.place = place, .arrived = arrived}); }

}  // namespace weft::job
