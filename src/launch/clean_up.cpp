#include "launch/runner.hpp"

#include <algorithm>
#include <array>
#include <csignal>

#include "os/process.hpp"

namespace weft::launch {
namespace {

// How long processes that a PE left behind may hold its pipes, or resist being killed, after the job is over.
constexpr std::uint64_t kLeftoverTime = 1000 * rules::kMillisecond;
// How long agents may take to leave: each waits for those below it, and ends what its PEs left behind.
constexpr std::uint64_t kDismissTime = 5000 * rules::kMillisecond;

}  // namespace

// The agents pass on the last words of their PEs, end what is left there, and leave.
void Runner::dismiss_fleet() {
  fleet_->finish();
  const std::uint64_t until = os::now_ns() + kDismissTime;
  while (!fleet_->all_gone() && os::now_ns() < until && !impatient_) turn_output(until);
}

// All PEs have gone. Ends what they left behind, and passes on the rest of the output, however slow its reader is.
void Runner::clean_up() {
  (void)os::kill_all_children(static_cast<int>(kLeftoverTime / rules::kMillisecond));
  const std::uint64_t until = os::now_ns() + kLeftoverTime;
  while (!forward_.finished() && !impatient_) {
    if (forward_.has_open() && !forward_.has_kept() && os::now_ns() > until) forward_.close_all();
    turn_output(until);
  }
}

void Runner::turn_output(std::uint64_t until) {
  std::array<epoll_event, 64> events;
  const std::uint64_t now = os::now_ns();
  int wait = forward_.has_kept() ? 1000 : static_cast<int>(now < until ? (until - now) / rules::kMillisecond + 1 : 0);
  if (const auto due = forward_.next_flush(now)) {
    wait = std::min(wait, static_cast<int>(*due > now ? (*due - now) / rules::kMillisecond + 1 : 0));
  }
  const int came = poller_.wait(events.data(), static_cast<int>(events.size()), wait);
  for (int i = 0; i < came; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    switch (streams::Poller::about(event)) {
      case streams::About::kOutput: forward_.readable(streams::Poller::which(event), now); break;
      case streams::About::kSink: forward_.writable(streams::Poller::which(event)); break;
      case streams::About::kSignals:
        while (const int signal = signals_.next()) {
          if (signal == SIGCHLD && fleet_) reap(now);
          impatient_ |= signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
        }
        break;
      case streams::About::kTerminal:
      case streams::About::kInput: break;
      default: take_fleet_event(event); break;
    }
  }
  if (fleet_) fleet_->take_news(now);
  forward_.flush_idle(os::now_ns());
  (void)forward_.take_broken();
}

}  // namespace weft::launch
