#include "launch/rules/watch.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "doctor/text.hpp"

namespace weft::launch::rules {
namespace {

using boot::Phase;
using boot::Waiting;

std::string signal_text(int signal, bool core = false) {
  const char* words = ::strsignal(signal);
  return "signal " + std::to_string(signal) + " (" + (words != nullptr ? words : "unknown") +
         (core ? ", core dumped)" : ")");
}

// "PE 0", "PEs 0 and 2", "PEs 0, 2 and 5 more".
std::string name_list(const std::vector<int>& pes) {
  if (pes.size() == 1) return "PE " + std::to_string(pes[0]);
  const std::string first = "PEs " + std::to_string(pes[0]);
  if (pes.size() == 2) return first + " and " + std::to_string(pes[1]);
  if (pes.size() == 3) return first + ", " + std::to_string(pes[1]) + " and " + std::to_string(pes[2]);
  return first + ", " + std::to_string(pes[1]) + " and " + std::to_string(pes.size() - 2) + " more";
}

}  // namespace

Watch::Watch(boot::JobHeader* job) : job_(job), pes_(job->n_pes) {}

void Watch::started(int pe, pid_t pid) {
  pes_[static_cast<std::size_t>(pe)].pid = pid;
  pes_[static_cast<std::size_t>(pe)].alive = true;
  ++alive_;
  ++started_;
  actions_.push_back({Action::Kind::kNote, 0, name(pe) + " started"});
}

void Watch::ended(int pe, int wait_status, std::uint64_t now) {
  Pe& gone = pes_[static_cast<std::size_t>(pe)];
  if (!gone.alive) return;
  gone.alive = false;
  --alive_;
  const bool by_signal = WIFSIGNALED(wait_status);
  actions_.push_back({Action::Kind::kNote, 0,
                      name(pe) + (by_signal ? " ended by " + signal_text(WTERMSIG(wait_status))
                                            : " ended with exit code " + std::to_string(WEXITSTATUS(wait_status)))});
  if (state_ != State::kRunning) return;  // what happens to the others now is our doing
  if (global_exit(now)) {
    // The one that asked has gone, its exit handlers and all: nothing to wait for any longer.
    end_all(SIGTERM, now, kGrace);
    return;
  }
  if (by_signal || WEXITSTATUS(wait_status) != 0) {
    failed(pe, wait_status, now);
    return;
  }
  gone.left = true;
  gone.phase = phase_of(record(pe));
  gone.left_at = now;
  ++left_;
}

void Watch::told_to_end(int signal, std::uint64_t now) {
  if (state_ == State::kKilled) return;
  if (state_ == State::kEnding) {  // asked twice: no more patience
    end_all(SIGKILL, now, 0);
    return;
  }
  if (state_ == State::kRunning && !global_exit(now)) exit_code_ = 128 + signal;
  end_all(signal, now, kUserGrace);
}

void Watch::limit(std::uint64_t end, std::string text) {
  time_up_ = end;
  limit_text_ = std::move(text);
}

void Watch::begun(std::uint64_t now, std::uint64_t patience) {
  begun_ = now;
  slow_at_ = now + patience;
}

void Watch::continued(std::uint64_t now) {
  // Looks are frequent: since the last one the job has been stopped.
  const std::uint64_t stopped = now - std::min(now, last_look_);
  if (time_up_) *time_up_ += stopped;
  if (slow_at_) *slow_at_ += stopped;
  begun_ += stopped;
  not_before_ = now;
}

void Watch::not_started(int exit_code, std::uint64_t now) {
  exit_code_ = exit_code;
  end_all(SIGKILL, now, 0);
}

void Watch::host_lost(const std::vector<int>& pes, std::string why, std::uint64_t now) {
  for (const int pe : pes) {
    Pe& gone = pes_[static_cast<std::size_t>(pe)];
    if (!gone.alive) continue;
    gone.alive = false;
    --alive_;
  }
  // While the job is being ended agents may go as they like.
  if (state_ != State::kRunning) return;
  say(std::move(why) + "; ending the job");
  exit_code_ = kHostLostCode;
  end_all(SIGTERM, now, kGrace);
}

void Watch::replaced(int pe, const std::string& program, std::uint64_t now) {
  if (state_ != State::kRunning || !alive(pe)) return;
  say(name(pe) + " has become another program after " + words(pe).init + ", " + program + last_call(pe) +
      "; only before it may a PE call exec; ending the job");
  exit_code_ = 1;
  end_all(SIGTERM, now, kGrace);
}

void Watch::look(std::uint64_t now) {
  last_look_ = now;
  if (slow_at_ && state_ == State::kRunning && now >= *slow_at_) tell_slow_start(now);
  switch (state_) {
    case State::kRunning:
      if (global_exit(now)) {
        if (now - *exit_seen_ >= kExiting) end_all(SIGTERM, now, kGrace);
      } else if (time_up_ && now >= *time_up_) {
        out_of_time(now);
      } else if (left_ > 0 && alive_ > 0) {
        find_stuck(now);
      }
      if (state_ == State::kRunning && report_after_ > 0) find_long_wait(now);
      break;
    case State::kWinding:
      if (now >= deadline_) end_all(SIGTERM, now, kGrace);
      break;
    case State::kEnding:
      if (now >= deadline_) end_all(SIGKILL, now, 0);
      break;
    case State::kKilled: break;
  }
}

std::optional<std::uint64_t> Watch::next_look() const {
  if (alive_ == 0 || state_ == State::kKilled) return std::nullopt;
  if (state_ != State::kRunning) return deadline_;
  if (exit_seen_) return *exit_seen_ + kExiting;
  const std::uint64_t next = last_look_ + (left_ > 0 ? kAttentive : kCalm);
  return time_up_ ? std::min(next, *time_up_) : next;
}

std::vector<Action> Watch::take_actions() {
  std::vector<Action> taken;
  taken.swap(actions_);
  return taken;
}

void Watch::failed(int pe, int wait_status, std::uint64_t now) {
  const bool by_signal = WIFSIGNALED(wait_status);
  const int number = by_signal ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  exit_code_ = by_signal ? 128 + number : number;
  const bool finalised = phase_of(record(pe)) == Phase::kFinalised;
  const bool told = record(pe).said_why.load(std::memory_order_acquire) != 0;
  // As in any pipeline whose reader leaves. A shell turns the signal into an exit code.
  const bool expected = output_lost_ && exit_code_ == 128 + SIGPIPE;
  if (!told && !expected) {
    std::string text = name(pe);
    if (by_signal) {
      text += " was killed by " + signal_text(number, WCOREDUMP(wait_status));
    } else {
      text += " exited with code " + std::to_string(number);
    }
    say(text + last_call(pe) + held_locks(pe, "; it held ") + "; ending the job" +
        advice(wait_status, pes_[static_cast<std::size_t>(pe)].pid, limits_, memory_));
  }
  // What it said itself is the reason of its end; this it could not know to be of interest.
  if (told && by_signal) {
    const std::string locks = held_locks(pe, " held ");
    if (!locks.empty()) say(name(pe) + locks);
  }
  // A program that reports its own result in the exit code after finalize: the others are about to leave as well, and
  // ending them at once would lose what their stdio still holds.
  if (finalised && !by_signal) {
    wind_down(now, kLeaving);
  } else {
    end_all(SIGTERM, now, kGrace);
  }
}

void Watch::out_of_time(std::uint64_t now) {
  std::vector<int> living;
  for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
    if (pes_[pe].alive) living.push_back(static_cast<int>(pe));
  }
  if (living.empty()) return;
  say("the job has not ended within " + limit_text_ + " (--timeout); " + std::to_string(living.size()) + " of " +
      std::to_string(pes_.size()) + " PEs had not finished; ending the job");
  actions_.push_back({Action::Kind::kReport, 0, {}});
  exit_code_ = kTimeoutCode;
  end_all(SIGTERM, now, kGrace);
}

void Watch::wind_down(std::uint64_t now, std::uint64_t time) {
  state_ = State::kWinding;
  deadline_ = now + time;
}

void Watch::end_all(int signal, std::uint64_t now, std::uint64_t grace) {
  state_ = signal == SIGKILL ? State::kKilled : State::kEnding;
  deadline_ = now + grace;
  if (alive_ > 0) actions_.push_back({Action::Kind::kSignal, signal, {}});
}

bool Watch::asked_by_a_pe(std::uint32_t request) const {
  const std::uint32_t pe = request >> boot::kExitPeShift;
  return (request & boot::kExitAsked) != 0 && pe < pes_.size() &&
         record(static_cast<int>(pe)).presence.exit_asked.load(std::memory_order_relaxed) == request;
}

// Acquire: what the PE has written into its record came before.
bool Watch::global_exit(std::uint64_t now) {
  const std::uint32_t request = job_->exit_request.load(std::memory_order_acquire);
  if (request == 0) return false;
  if (!asked_by_a_pe(request)) {
    if (!exit_seen_) {
      char value[16];
      (void)std::snprintf(value, sizeof value, "0x%x", request);
      say(std::string("something has written ") + value +
          " where PEs ask for the end of the job, and none has called " + words(0).exit +
          ": a store or a put to a wrong address, into Weft's own memory; --safe may find it; ending the job");
      exit_seen_ = now - std::min(now, kExiting);  // nobody is about to leave
    }
    exit_code_ = 1;
    return true;
  }
  exit_code_ = static_cast<int>(request & 0xff);
  if (!exit_seen_) {
    exit_seen_ = now;
    const char* exit = words(static_cast<int>(request >> boot::kExitPeShift)).exit;
    actions_.push_back({Action::Kind::kNote, 0,
                        std::string(exit) + "(" + std::to_string(exit_code_) + ") was called; ending the job"});
  }
  return true;
}

// Nobody who lives can go on: each has waited since before the last look.
bool Watch::all_wait(std::uint64_t now) const {
  for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
    if (!pes_[pe].alive) continue;
    const boot::PeRecord& other = record(static_cast<int>(pe));
    const LongWait wait = waiting_of(other, now);
    if (wait.why == Waiting::kNot || now < std::max(wait.since, not_before_) + kStuck) return false;
  }
  return true;
}

// Does `pe` wait for something that needs the PE that has gone?
bool Watch::is_stuck(int pe, const Pe& gone, bool all_wait, std::uint64_t now) const {
  const boot::PeRecord& other = record(pe);
  const auto [waiting, begun] = waiting_of(other, now);
  // The one that left may have released this wait as its last act, and the sleeper has not run since: give it time.
  const std::uint64_t since = std::max({begun, gone.left_at, not_before_});
  if (waiting == Waiting::kNot || now < since + kStuck) return false;
  // A PE that finalised was waited for by all: only a second initialisation needs it, or a PE that made a collective
  // call more than the others, whose every barrier was one too early.
  if (gone.phase == Phase::kFinalised && waiting != Waiting::kInit && now < since + kDeserted) return false;
  // What these wait for a third PE may still do; the PE that has gone need not be in the team.
  if (waiting == Waiting::kValue || waiting == Waiting::kLock || waiting == Waiting::kTeam ||
      waiting == Waiting::kMessage || waiting == Waiting::kWindow || waiting == Waiting::kPages) {
    return all_wait;
  }
  return true;
}

// All that live serve others, which have left: nobody will tell them to leave any more.
bool Watch::find_forgotten(std::uint64_t now) {
  std::vector<int> serving;
  const Pe* last = nullptr;
  for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
    if (pes_[pe].alive) {
      if (phase_of(record(static_cast<int>(pe))) != Phase::kServing) return false;
      serving.push_back(static_cast<int>(pe));
    } else if (pes_[pe].left && pes_[pe].phase != Phase::kServed &&
               (last == nullptr || pes_[pe].left_at >= last->left_at)) {
      last = &pes_[pe];
    }
  }
  if (last == nullptr) return false;
  // One that has ended properly has told them as its last act, and they have not run since.
  const std::uint64_t patience = last->phase == Phase::kFinalised ? kDeserted : kStuck;
  if (now < std::max(last->left_at, not_before_) + patience) return false;
  say(name(static_cast<int>(last - pes_.data())) + " left while " + name_list(serving) +
      (serving.size() == 1 ? " serves others and was" : " serve others and were") +
      " not told to leave; ending the job");
  exit_code_ = 1;
  end_all(SIGTERM, now, kGrace);
  return true;
}

void Watch::find_stuck(std::uint64_t now) {
  if (find_forgotten(now)) return;
  const bool nobody_works = all_wait(now);
  for (std::size_t left = 0; left < pes_.size(); ++left) {
    const Pe& gone = pes_[left];
    if (!gone.left || gone.phase == Phase::kServed) continue;  // nobody needs the latter any more
    std::vector<int> stuck;
    for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
      if (pes_[pe].alive && is_stuck(static_cast<int>(pe), gone, nobody_works, now)) {
        stuck.push_back(static_cast<int>(pe));
      }
    }
    if (stuck.empty()) continue;
    const calls::Words its = words(static_cast<int>(left));
    const std::string how = gone.phase == Phase::kInitialised ? std::string(" left without ") + its.finalize
                            : gone.phase == Phase::kServing   ? std::string(" left, though it served others,")
                            : gone.phase == Phase::kFinalised ? std::string(" left after ") + its.finalize
                                                              : std::string(" left without ") + its.init;
    const std::string call = call_of(record(stuck[0]));
    say(name(static_cast<int>(left)) + how + " while " + name_list(stuck) + (stuck.size() == 1 ? " waits" : " wait") +
        (call.empty() ? call : " in " + call) +
        (gone.phase == Phase::kFinalised ? calls_made(static_cast<int>(left), stuck[0]) +
                                               "; did every PE make the same collective calls? Ending the job"
                                         : "; ending the job"));
    exit_code_ = 1;
    end_all(SIGTERM, now, kGrace);
    return;
  }
}

void Watch::tell_slow_start(std::uint64_t now) {
  std::vector<int> late;
  int come = 0;
  for (int pe = 0; pe < started_; ++pe) {
    if (phase_of(record(pe)) >= Phase::kInitialised) {
      ++come;
    } else if (alive(pe)) {
      late.push_back(pe);
    }
  }
  const std::size_t missing = pes_.size() - static_cast<std::size_t>(started_);
  if (late.empty() && missing == 0) {
    slow_at_.reset();
    return;
  }
  slow_at_ = now + (now - begun_);
  const std::string after = " after " + std::to_string((now - begun_) / (1000 * kMillisecond)) + " s";
  const std::string all = " of " + std::to_string(pes_.size()) + " PEs ";
  if (missing > 0) {
    say(std::to_string(started_) + all + "have been started" + after);
  } else if (come > 0) {
    // Where none has come, this may be no program of Weft's, or one that does all its work before.
    say(std::to_string(come) + all + "have come to " + words(late.front()).init + after + "; " +
        (late.size() == 1 ? "PE " : "PEs ") + doctor::ranges(late) + (late.size() == 1 ? " has not" : " have not"));
  }
}

// Of the oldest wait: the others are mostly its consequence.
void Watch::find_long_wait(std::uint64_t now) {
  std::uint64_t oldest = UINT64_MAX;
  int whose = -1;
  for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
    if (!pes_[pe].alive) continue;
    const LongWait wait = waiting_of(record(static_cast<int>(pe)), now);
    const std::uint64_t threads = threads_wait_since(*boot::pe_threads(job_, static_cast<int>(pe)), now);
    const std::uint64_t since = std::max(wait.why == Waiting::kNot ? 0 : wait.since, threads);
    if (since == 0 || since >= oldest) continue;
    oldest = since;
    whose = static_cast<int>(pe);
  }
  const std::uint64_t begun = std::max(oldest, not_before_);
  if (whose < 0 || now < begun + report_after_) return;
  const std::uint64_t lasted = now - begun;
  if (oldest == reported_wait_ && lasted < 2 * reported_after_) return;
  reported_wait_ = oldest;
  reported_after_ = lasted;
  say("PE " + std::to_string(whose) + " has waited for " + std::to_string(lasted / 1'000'000'000) +
      " s (--hang-after); this is what the PEs do:");
  actions_.push_back({Action::Kind::kReport, 0, {}});
}

void Watch::say(std::string text) { actions_.push_back({Action::Kind::kSay, 0, std::move(text)}); }

std::string Watch::name(int pe) const {
  const Pe& which = pes_[static_cast<std::size_t>(pe)];
  return "PE " + std::to_string(pe) + " (pid " + std::to_string(which.pid) + which.host + ")";
}

// Where one has made fewer collective calls of all PEs than the other waits for. Its last one was in finalize.
std::string Watch::calls_made(int gone, int stuck) const {
  const std::uint32_t made = record(gone).collectives.load(std::memory_order_relaxed);
  const std::uint32_t begun = record(stuck).collectives.load(std::memory_order_relaxed);
  if (made >= begun) return {};
  return "; it has made " + std::to_string(made) + " collective call" + (made == 1 ? "" : "s") + ", " +
         words(gone).finalize + " among them, and PE " + std::to_string(stuck) + " is in its #" + std::to_string(begun);
}

// Locks of windows, which others may be waiting for.
std::string Watch::held_locks(int pe, const char* begin) const {
  constexpr std::size_t kMostTold = 3;
  const std::vector<doctor::HeldOfWindow> locks = doctor::window_locks_of(record(pe), static_cast<int>(pes_.size()));
  std::string text;
  for (std::size_t k = 0; k < std::min(locks.size(), kMostTold); ++k) {
    text.append(k == 0 ? begin : ", ").append(doctor::lock_text(locks[k], words(pe).member));
  }
  return locks.size() > kMostTold ? text + " and more" : text;
}

std::string Watch::last_call(int pe) const {
  const std::string call = call_of(record(pe));
  return call.empty() ? call : "; its last Weft call: " + call;
}

}  // namespace weft::launch::rules
