#include "launch/launch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "doctor/report.hpp"
#include "helper/helper.hpp"
#include "launch/crew.hpp"
#include "launch/debuggers.hpp"
#include "launch/foreground.hpp"
#include "launch/forward.hpp"
#include "launch/hosts/fleet.hpp"
#include "launch/input.hpp"
#include "launch/limits.hpp"
#include "launch/poller.hpp"
#include "launch/replaced.hpp"
#include "launch/signals.hpp"
#include "launch/starter.hpp"
#include "launch/watch.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"

namespace weft::launch {
namespace {

// How long processes that a PE left behind may hold its pipes, or resist being killed, after the job is over.
constexpr std::uint64_t kLeftoverTime = 1000 * kMillisecond;
// How long PEs are started before a look at those that run.
constexpr std::uint64_t kTurnTime = 20 * kMillisecond;
// Between the kill of all PEs and a look at those that still seem to live, and between two such looks.
constexpr std::uint64_t kHeldTime = 200 * kMillisecond;
// How long agents may take to leave: each waits for those below it, and ends what its PEs left behind.
constexpr std::uint64_t kDismissTime = 5000 * kMillisecond;

class Runner {
 public:
  explicit Runner(const Order& order)
      : order_(order),
        n_pes_(static_cast<int>(order.job.header->n_pes)),
        shape_(*order.job.header),
        forward_(poller_, n_pes_, order.tag_output),
        // What PEs on other hosts are to read goes through us.
        input_(poller_, order.errand != nullptr && order.input == InputTo::kAll ? InputTo::kPe0 : order.input, n_pes_,
               order.errand != nullptr),
        watch_(order.job.header),
        debuggers_(order.debug, order.job.header),
        crew_(order.errand == nullptr ? n_pes_ : 0) {}

  int run() {
    if (const base::Result<void> opened = signals_.open(); !opened) return give_up(opened.error().text());
    if (!poller_.valid())
      return give_up(std::string("cannot wait for events (epoll): ") + std::strerror(poller_.error()));
    poller_.add(signals_.descriptor(), EPOLLIN, About::kSignals);
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

 private:
  int give_up(const std::string& why) {
    forward_.say("oshrun: " + why);
    return 1;
  }

  // A job that has not been ended, and of which no PE lives, may be one whose PEs are still being started elsewhere.
  bool over() const { return watch_.over() && (!fleet_ || fleet_->all_started() || !watch_.is_running()); }

  void start_all() {
    const bool debugs = order_.debug.in != DebugIn::kNowhere;
    if (!debugs) watch_.begun(os::now_ns(), ::isatty(STDERR_FILENO) == 1 ? Watch::kSlowStart : Watch::kVerySlowStart);
    debuggers_.hold();
    watch_.report_waits(order_.hang_after);
    if (order_.timeout > 0) watch_.limit(os::now_ns() + order_.timeout, order_.timeout_text);
    if (order_.errand != nullptr) {
      start_elsewhere();
    } else {
      start_here();
    }
    watch_.look(os::now_ns());
    act();
  }

  void start_elsewhere() {
    fleet_ = std::make_unique<Fleet>(Fleet::Owner{poller_, forward_, watch_, [this](int pe) { ended_elsewhere(pe); }},
                                     *order_.errand, order_.job, signals_.reset_in_children());
    fleet_->start(os::now_ns());
    if (const int from = input_.open(0); from >= 0) fleet_->read_input_from(from);
  }

  void ended_elsewhere(int pe) {
    if (order_.input == InputTo::kPe0) input_.pe_ended(pe);
  }

  void start_here() {
    Starter starter(order_.job, order_.programs, order_.files, signals_.reset_in_children());
    std::optional<NotStarted> problem = starter.prepare(input_.has_pipes());
    crew_.guard(1, *order_.job.header);  // for tmux
    std::uint64_t last_turn = os::now_ns();
    for (int pe = 0; pe < n_pes_ && !problem && watch_.is_running(); ++pe) {
      const bool here = debuggers_.is_here(pe);
      if (here) foreground_.lend();
      const int input = here ? -1 : input_.open(pe);
      Started started;
      const cpu_set_t* cpus = order_.bindings.empty() ? nullptr : &order_.bindings[static_cast<std::size_t>(pe)];
      problem = starter.start(pe, {input, cpus, here ? &order_.debug : nullptr}, crew_.guard().place(pe), &started);
      if (input > STDERR_FILENO) (void)::close(input);
      if (problem) break;
      crew_.started(pe, started.pid);
      if (here) gdb_ = started.pid;
      if (started.out >= 0) forward_.adopt(pe, started.out, started.err);
      watch_.started(pe, started.pid);
      if (order_.report_bindings) report_binding(pe, cpus);
      if (os::now_ns() - last_turn < kTurnTime) continue;
      turn(false);  // thousands of PEs take seconds: they write meanwhile, may fail, and the user may have enough
      last_turn = os::now_ns();
    }
    if (problem) {
      forward_.say("oshrun: " + problem->text);
      watch_.not_started(problem->exit_code, os::now_ns());
    }
  }

  void report_binding(int pe, const cpu_set_t* cpus) {
    forward_.say("oshrun: PE " + std::to_string(pe) +
                 (cpus != nullptr ? " is bound to" : " is not bound: it may run on") + " processors " +
                 cpu_list(cpus != nullptr ? *cpus : own_cpus()));
  }

  // Waits for something to happen, or only looks whether something has, and deals with it.
  void turn(bool wait = true) {
    std::array<epoll_event, 64> events;
    const int came = poller_.wait(events.data(), static_cast<int>(events.size()), wait ? timeout() : 0);
    const std::uint64_t now = os::now_ns();
    longest_turn_ = std::max(longest_turn_, now - std::min(now, std::exchange(last_turn_, now)));
    bool signalled = false;
    for (int i = 0; i < came; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      switch (Poller::about(event)) {
        case About::kSignals: signalled = true; break;
        case About::kOutput: forward_.readable(Poller::which(event), now); break;
        case About::kSink: forward_.writable(Poller::which(event)); break;
        case About::kTerminal: input_.readable(); break;
        case About::kInput: input_.pipe_writable(static_cast<int>(Poller::which(event))); break;
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

  void take_fleet_event(const epoll_event& event) {
    const std::uint32_t which = Poller::which(event);
    switch (Poller::about(event)) {
      case About::kLinkIn: fleet_->link_readable(which); break;
      case About::kLinkOut: fleet_->link_writable(which); break;
      case About::kLinkErr: fleet_->link_errors(which); break;
      case About::kFeed: fleet_->input_readable(); break;
      default: break;
    }
  }

  int timeout() const {
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
    return static_cast<int>(std::min<std::uint64_t>((first - now) / kMillisecond + 1, INT_MAX));
  }

  void take_signals(std::uint64_t now) {
    while (const int signal = signals_.next()) {
      switch (signal) {
        case SIGCHLD: reap(now); break;
        case SIGUSR1:
          forward_.say("oshrun: this is what the PEs do:");
          report();
          break;
        case SIGUSR2: signal_all(signal); break;
        case SIGTSTP: stop_all(); break;
        case SIGCONT:
          foreground_.give(gdb_);
          signal_all(SIGCONT);
          if (fleet_) fleet_->continued(std::exchange(longest_turn_, 0));
          watch_.continued(os::now_ns());
          break;
        default: watch_.told_to_end(signal, now); break;
      }
    }
  }

  void stop_all() {
    signal_all(SIGTSTP);
    foreground_.take_back();
    if (fleet_) fleet_->pause();
    stop_self();
    last_turn_ = os::now_ns();  // agents know of this stop
    // gdb's stop was our doing.
    siginfo_t ignored{};
    if (gdb_ > 0) (void)::waitid(P_PID, static_cast<id_t>(gdb_), &ignored, WSTOPPED | WNOHANG);
  }

  void open_debuggers(std::uint64_t now) {
    for (const std::string& line : debuggers_.look(now)) forward_.say("oshrun: " + line);
    if (debuggers_.server() > 0) {
      crew_.guard().set(n_pes_, debuggers_.server());
      crew_.guard().keep_file(debuggers_.socket());
    }
  }

  void reap(std::uint64_t now) {
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG | (gdb_ > 0 ? WUNTRACED : 0));
      if (pid <= 0) return;
      if (WIFSTOPPED(status)) {
        if (pid == gdb_) stop_all();  // Ctrl-Z at its prompt
        continue;
      }
      if (crew_.guard().ended(pid) || (fleet_ && fleet_->child_ended(pid, status))) continue;
      const std::optional<int> ended = crew_.ended(pid);
      if (!ended) {  // an orphan of a PE, or a debugger
        if (pid == debuggers_.server()) crew_.guard().set(n_pes_, 0);
        debuggers_.ended(pid);
        continue;
      }
      const int pe = *ended;
      forward_.drain(pe, now);
      notice_broken_output();
      if (WIFSIGNALED(status)) watch_.surroundings(read_limits(), memory_state());
      watch_.ended(pe, status, now);
      if (pid == gdb_) {
        gdb_ = 0;
        foreground_.restore();
      }
      input_.pe_ended(pe);
    }
  }

  OutOfMemory memory_state() const {
    const std::optional<std::uint64_t> kills = out_of_memory_kills();
    if (!kills || !kills_before_) return OutOfMemory::kUnknown;
    return *kills != *kills_before_ ? OutOfMemory::kYes : OutOfMemory::kNo;
  }

  void notice_broken_output() {
    const int error = forward_.take_broken();
    if (error == 0) return;
    watch_.output_lost();
    if (error != EPIPE) forward_.say(std::string("oshrun: cannot pass on the output: ") + std::strerror(error));
  }

  void act() {
    for (const Action& action : watch_.take_actions()) {
      switch (action.kind) {
        case Action::Kind::kSay: forward_.say("oshrun: " + action.text); break;
        case Action::Kind::kNote:
          if (order_.verbose) forward_.say("oshrun: " + action.text);
          break;
        case Action::Kind::kReport: report(); break;
        case Action::Kind::kSignal:
          signal_all(action.signal);
          if (action.signal != SIGKILL) signal_all(SIGCONT);  // one that is stopped would not hear it
          debuggers_.close();                                 // nor one that a debugger holds
          if (action.signal == SIGKILL) killed_at_ = os::now_ns();
          break;
      }
    }
  }

  void find_replaced(std::uint64_t now) {
    for (int pe = 0; !fleet_ && pe < n_pes_ && watch_.is_running(); ++pe) {
      if (!crew_.alive(pe)) continue;
      const auto now_is = replacement_of(order_.job.pe(pe), crew_.guard().mark());
      if (now_is) watch_.replaced(pe, *now_is, now);
    }
  }

  // The kernel tells a tracer of the end first. A debugger that is none of ours, at its prompt, does not listen.
  void bury_held(std::uint64_t now) {
    killed_at_ = now;
    for (const int pe : crew_.held()) watch_.ended(pe, SIGKILL, now);
  }

  void report() {
    std::vector<bool> living(static_cast<std::size_t>(n_pes_));
    for (int pe = 0; pe < n_pes_; ++pe) living[static_cast<std::size_t>(pe)] = watch_.alive(pe);
    const doctor::Job job{order_.job.header, order_.job.data_fd, order_.job.heap_fd, shape_, ::getpid()};
    for (const std::string& line : doctor::report(job, living, helper::path_of("weft-where"))) {
      forward_.say("oshrun:   " + line);
    }
  }

  void signal_all(int signal) {
    if (fleet_) {
      fleet_->signal(signal);
    } else {
      crew_.signal(signal);
    }
  }

  // The agents pass on the last words of their PEs, end what is left there, and leave.
  void dismiss_fleet() {
    fleet_->finish();
    const std::uint64_t until = os::now_ns() + kDismissTime;
    while (!fleet_->all_gone() && os::now_ns() < until && !impatient_) turn_output(until);
  }

  // All PEs have gone. Ends what they left behind, and passes on the rest of the output, however slow its reader is.
  void clean_up() {
    (void)os::kill_all_children(static_cast<int>(kLeftoverTime / kMillisecond));
    const std::uint64_t until = os::now_ns() + kLeftoverTime;
    while (!forward_.finished() && !impatient_) {
      if (forward_.has_open() && !forward_.has_kept() && os::now_ns() > until) forward_.close_all();
      turn_output(until);
    }
  }

  void turn_output(std::uint64_t until) {
    std::array<epoll_event, 64> events;
    const std::uint64_t now = os::now_ns();
    int wait = forward_.has_kept() ? 1000 : static_cast<int>(now < until ? (until - now) / kMillisecond + 1 : 0);
    if (const auto due = forward_.next_flush(now)) {
      wait = std::min(wait, static_cast<int>(*due > now ? (*due - now) / kMillisecond + 1 : 0));
    }
    const int came = poller_.wait(events.data(), static_cast<int>(events.size()), wait);
    for (int i = 0; i < came; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      switch (Poller::about(event)) {
        case About::kOutput: forward_.readable(Poller::which(event), now); break;
        case About::kSink: forward_.writable(Poller::which(event)); break;
        case About::kSignals:
          while (const int signal = signals_.next()) {
            if (signal == SIGCHLD && fleet_) reap(now);
            impatient_ |= signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
          }
          break;
        case About::kTerminal:
        case About::kInput: break;
        default: take_fleet_event(event); break;
      }
    }
    if (fleet_) fleet_->take_news(now);
    forward_.flush_idle(os::now_ns());
    (void)forward_.take_broken();
  }

  const Order& order_;
  int n_pes_;
  doctor::Shape shape_;  // before any PE could write to the header
  Poller poller_;
  Signals signals_;
  Forward forward_;
  Input input_;
  Watch watch_;
  Debuggers debuggers_;
  Foreground foreground_;
  Crew crew_;                     // of this machine, or
  std::unique_ptr<Fleet> fleet_;  // elsewhere
  std::optional<std::uint64_t> kills_before_ = out_of_memory_kills();
  std::uint64_t last_turn_ = os::now_ns();
  std::uint64_t longest_turn_ = 0;          // since we were last continued; long where we have been stopped meanwhile
  pid_t gdb_ = 0;                           // the PE that has our terminal
  std::optional<std::uint64_t> killed_at_;  // when PEs were last killed, or looked at after that
  bool impatient_ = false;                  // told to end while the last output waits for its reader
};

}  // namespace

int run(const Order& order) { return Runner(order).run(); }

}  // namespace weft::launch
