#include "launch/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "helper/helper.hpp"
#include "launch/runner.hpp"
#include "os/process.hpp"

namespace weft::launch {
namespace {

// Between the kill of all PEs and a look at those that still seem to live, and between two such looks.
constexpr std::uint64_t kHeldTime = 200 * rules::kMillisecond;

}  // namespace

Runner::Runner(const Order& order)
    : order_(order),
      n_pes_(static_cast<int>(order.job.header->n_pes)),
      shape_(*order.job.header),
      forward_(poller_, n_pes_, order.tag_output),
      // What PEs on other hosts are to read goes through us.
      input_(poller_,
             order.errand != nullptr && order.input == command::InputTo::kAll ? command::InputTo::kPe0 : order.input,
             n_pes_, order.errand != nullptr),
      watch_(order.job.header),
      debuggers_(order.debug, order.job.header),
      crew_(order.errand == nullptr ? n_pes_ : 0) {}

int Runner::run() {
  if (const base::Result<void> opened = signals_.open(); !opened) return give_up(opened.error().text());
  if (!poller_.valid())
    return give_up(std::string("cannot wait for events (epoll): ") + std::strerror(poller_.error()));
  poller_.add(signals_.descriptor(), EPOLLIN, streams::About::kSignals);
  os::adopt_orphans();
  start_all();
  while (!over()) turn();
  foreground_.restore();
  debuggers_.close();
  crew_.guard().stop();
  if (fleet_) dismiss_fleet();
  clean_up();
  return watch_.exit_code();
}

void Runner::say(const std::string& text) { forward_.say(order_.called.line("oshrun: " + text)); }

int Runner::give_up(const std::string& why) {
  say(why);
  return 1;
}

// A job that has not been ended, and of which no PE lives, may be one whose PEs are still being started elsewhere.
bool Runner::over() const { return watch_.over() && (!fleet_ || fleet_->all_started() || !watch_.is_running()); }

// Waits for something to happen, or only looks whether something has, and deals with it.
void Runner::turn(bool wait) {
  std::array<epoll_event, 64> events;
  const int came = poller_.wait(events.data(), static_cast<int>(events.size()), wait ? timeout() : 0);
  const std::uint64_t now = os::now_ns();
  longest_turn_ = std::max(longest_turn_, now - std::min(now, std::exchange(last_turn_, now)));
  bool signalled = false;
  for (int i = 0; i < came; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    switch (streams::Poller::about(event)) {
      case streams::About::kSignals: signalled = true; break;
      case streams::About::kOutput: forward_.readable(streams::Poller::which(event), now); break;
      case streams::About::kSink: forward_.writable(streams::Poller::which(event)); break;
      case streams::About::kTerminal: input_.readable(); break;
      case streams::About::kInput: input_.pipe_writable(static_cast<int>(streams::Poller::which(event))); break;
      default: take_fleet_event(event); break;
    }
  }
  // After the output: what a PE wrote before it ended comes before what is said about its end.
  if (signalled) take_signals(now);
  if (fleet_) fleet_->take_news(now);
  if (const auto look = input_.next_look(); look && now >= *look) input_.look(now);
  if (const auto look = debuggers_.next_look(); look && now >= *look) open_debuggers(now);
  forward_.flush_idle(now);
  notice_broken_output();
  if (const auto look = watch_.next_look(); look && now >= *look) {
    find_replaced(now);
    watch_.look(now);
  }
  if (killed_at_ && now >= *killed_at_ + kHeldTime) bury_held(now);
  act();
}

void Runner::take_fleet_event(const epoll_event& event) {
  const std::uint32_t which = streams::Poller::which(event);
  switch (streams::Poller::about(event)) {
    case streams::About::kLinkIn: fleet_->link_readable(which); break;
    case streams::About::kLinkOut: fleet_->link_writable(which); break;
    case streams::About::kLinkErr: fleet_->link_errors(which); break;
    case streams::About::kFeed: fleet_->input_readable(); break;
    default: break;
  }
}

int Runner::timeout() const {
  const std::uint64_t now = os::now_ns();
  std::uint64_t first = UINT64_MAX;
  const auto held = killed_at_ ? std::optional(*killed_at_ + kHeldTime) : std::nullopt;
  for (const std::optional<std::uint64_t>& due :
       {watch_.next_look(), forward_.next_flush(now), input_.next_look(), debuggers_.next_look(),
        fleet_ ? fleet_->next_look() : std::nullopt, held}) {
    if (due) first = std::min(first, *due);
  }
  if (first == UINT64_MAX) return -1;
  if (first <= now) return 0;
  return static_cast<int>(std::min<std::uint64_t>((first - now) / rules::kMillisecond + 1, INT_MAX));
}

void Runner::open_debuggers(std::uint64_t now) {
  for (const std::string& line : debuggers_.look(now)) say(line);
  if (debuggers_.server() > 0) {
    crew_.guard().set(n_pes_, debuggers_.server());
    crew_.guard().keep_file(debuggers_.socket());
  }
}

void Runner::notice_broken_output() {
  const int error = forward_.take_broken();
  if (error == 0) return;
  watch_.output_lost();
  if (error != EPIPE) say(std::string("cannot pass on the output: ") + std::strerror(error));
}

void Runner::act() {
  for (const rules::Action& action : watch_.take_actions()) {
    switch (action.kind) {
      case rules::Action::Kind::kSay: say(action.text); break;
      case rules::Action::Kind::kNote:
        if (order_.verbose) say(action.text);
        break;
      case rules::Action::Kind::kReport: report(); break;
      case rules::Action::Kind::kSignal:
        signal_all(action.signal);
        if (action.signal != SIGKILL) signal_all(SIGCONT);  // one that is stopped would not hear it
        debuggers_.close();                                 // nor one that a debugger holds
        if (action.signal == SIGKILL) killed_at_ = os::now_ns();
        break;
    }
  }
}

void Runner::find_replaced(std::uint64_t now) {
  for (int pe = 0; replacements_ && pe < n_pes_ && watch_.is_running(); ++pe) {
    if (!crew_.alive(pe)) continue;
    const auto now_is = replacements_->find(pe, order_.job.pe(pe), now);
    if (now_is) watch_.replaced(pe, *now_is, now);
  }
}

// The kernel tells a tracer of the end first. A debugger that is none of ours, at its prompt, does not listen.
void Runner::bury_held(std::uint64_t now) {
  killed_at_ = now;
  for (const int pe : crew_.held()) watch_.ended(pe, SIGKILL, now);
}

void Runner::report() {
  std::vector<bool> living(static_cast<std::size_t>(n_pes_));
  for (int pe = 0; pe < n_pes_; ++pe) living[static_cast<std::size_t>(pe)] = watch_.alive(pe);
  const doctor::Job job{order_.job.header, order_.job.data_fd, order_.job.heap_fd, shape_, ::getpid()};
  for (const std::string& line : doctor::examine(job, living, helper::path_of("weft-where"))) {
    say("  " + line);
  }
}

void Runner::signal_all(int signal) {
  if (fleet_) {
    fleet_->signal(signal);
  } else {
    crew_.signal(signal);
  }
}

int run(const Order& order) { return Runner(order).run(); }

}  // namespace weft::launch
