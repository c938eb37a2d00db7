// When a job ends, how, and what is said about it: rules only. Processes, clocks and signals come in as events and
// leave as actions, so that every rule can be tested without a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boot/job.hpp"
#include "launch/rules/limits.hpp"
#include "launch/rules/records.hpp"

namespace weft::launch::rules {

inline constexpr std::uint64_t kMillisecond = 1'000'000;  // of the nanoseconds all times here are in

struct Action {
  enum class Kind : std::uint8_t {
    kSay,     // a line for the user
    kNote,    // a line for a user who asked for details
    kSignal,  // send this signal to every PE that lives
    kReport,  // tell the user what each PE does and waits for
  };
  Kind kind;
  int signal = 0;
  std::string text;
};

class Watch {
 public:
  // How long things may take. Together they stay below the second within which a failed job ends.
  static constexpr std::uint64_t kGrace = 300 * kMillisecond;      // between SIGTERM and SIGKILL
  static constexpr std::uint64_t kUserGrace = 500 * kMillisecond;  // between a signal of the user and SIGKILL
  static constexpr std::uint64_t kExiting = 500 * kMillisecond;    // for the handlers of exit in shmem_global_exit
  static constexpr std::uint64_t kLeaving = 300 * kMillisecond;    // for the others, when one failed after finalize
  static constexpr std::uint64_t kStuck = 400 * kMillisecond;      // a wait for a PE that has left
  // A wait for a PE that has left after its last finalize. Longer, because that PE's own finalize was a barrier: a PE
  // that is slow to leave the barrier looks the same as one that will wait for ever.
  static constexpr std::uint64_t kDeserted = 5000 * kMillisecond;
  // Before a line tells who has not come to shmem_init. Programs may read their input before, so it is no error; where
  // nobody is looking it is worth a line only when something is likely wrong.
  static constexpr std::uint64_t kSlowStart = 5000 * kMillisecond;
  static constexpr std::uint64_t kVerySlowStart = 60'000 * kMillisecond;
  static constexpr int kTimeoutCode = 124;  // as timeout(1) has it
  static constexpr int kHostLostCode = 1;
  static constexpr std::uint64_t kAttentive = 100 * kMillisecond;  // between looks while somebody may be stuck
  static constexpr std::uint64_t kCalm = 250 * kMillisecond;       // between looks when nothing is known

  /// `job` holds the header and the records; they are only read.
  explicit Watch(boot::JobHeader* job);

  /// The job is ended at this time; `text` says to the user how long that was.
  void limit(std::uint64_t end, std::string text);

  /// The PEs are about to be started. The first line about a slow start comes after `patience`.
  void begun(std::uint64_t now, std::uint64_t patience);
  /// What is known about the place where the PEs run, for what is said about one that a signal has ended.
  void surroundings(Limits limits, OutOfMemory memory) {
    limits_ = std::move(limits);
    memory_ = memory;
  }
  /// Whenever a PE has waited for so long, and twice as long, and so on, the user is told what all PEs do.
  void report_waits(std::uint64_t after) { report_after_ = after; }

  /// PE `pe` is to be spoken of as one on this host.
  void placed(int pe, const std::string& host) { pes_[static_cast<std::size_t>(pe)].host = " on " + host; }

  // Events.
  void started(int pe, pid_t pid);
  void ended(int pe, int wait_status, std::uint64_t now);
  void told_to_end(int signal, std::uint64_t now);     // the user, or whoever runs us
  void not_started(int exit_code, std::uint64_t now);  // a PE could not be started; the line has been said
  void host_lost(const std::vector<int>& pes, std::string why, std::uint64_t now);  // these are out of reach
  void replaced(int pe, const std::string& program, std::uint64_t now);             // it is another program now
  void output_lost() { output_lost_ = true; }                                       // nobody reads what the PEs write
  void continued(std::uint64_t now);                                                // all were stopped for a while
  void look(std::uint64_t now);                                                     // time has passed

  /// What is to be done now; each action is handed out once.
  std::vector<Action> take_actions();
  /// When look() must be called again at the latest.
  std::optional<std::uint64_t> next_look() const;

  bool over() const { return alive_ == 0; }
  bool is_running() const { return state_ == State::kRunning; }  // false: it is being ended
  bool alive(int pe) const { return pes_[static_cast<std::size_t>(pe)].alive; }
  int exit_code() const { return exit_code_; }

 private:
  enum class State : std::uint8_t {
    kRunning,
    kWinding,  // it will end, but the PEs still have time to leave by themselves
    kEnding,   // they have been told
    kKilled,
  };
  struct Pe {
    pid_t pid = 0;
    bool alive = false;
    bool left = false;                          // exited with 0
    boot::Phase phase = boot::Phase::kStarted;  // when it left
    std::uint64_t left_at = 0;
    std::string host = {};  // " on b", where the job has several hosts
  };

  boot::PeRecord& record(int pe) const { return *boot::pe_record(job_, pe); }
  void say(std::string text);
  void failed(int pe, int wait_status, std::uint64_t now);
  void out_of_time(std::uint64_t now);
  void wind_down(std::uint64_t now, std::uint64_t time);
  void end_all(int signal, std::uint64_t now, std::uint64_t grace);
  bool global_exit(std::uint64_t now);
  bool asked_by_a_pe(std::uint32_t request) const;
  void find_stuck(std::uint64_t now);
  void tell_slow_start(std::uint64_t now);
  void find_long_wait(std::uint64_t now);
  bool find_forgotten(std::uint64_t now);
  bool is_stuck(int pe, const Pe& gone, bool all_wait, std::uint64_t now) const;
  bool all_wait(std::uint64_t now) const;
  std::string name(int pe) const;
  std::string last_call(int pe) const;
  std::string held_locks(int pe, const char* begin) const;
  calls::Words words(int pe) const { return words_of(record(pe)); }
  std::string calls_made(int gone, int stuck) const;

  boot::JobHeader* job_;
  std::vector<Pe> pes_;
  std::vector<Action> actions_;
  State state_ = State::kRunning;
  int alive_ = 0;
  int started_ = 0;
  int left_ = 0;
  int exit_code_ = 0;
  bool output_lost_ = false;
  std::uint64_t last_look_ = 0;
  std::uint64_t not_before_ = 0;          // waits are counted from here on
  std::uint64_t deadline_ = 0;            // of kWinding and kEnding
  std::optional<std::uint64_t> time_up_;  // when the job is to end whatever it does
  std::string limit_text_;
  std::uint64_t begun_ = 0;
  std::optional<std::uint64_t> slow_at_;  // when the start is to be called slow; nothing once all have come
  Limits limits_;
  OutOfMemory memory_ = OutOfMemory::kUnknown;
  std::uint64_t report_after_ = 0;          // 0: never
  std::uint64_t reported_wait_ = 0;         // since when the wait lasts that the last report was about
  std::uint64_t reported_after_ = 0;        // and how long it had lasted by then
  std::optional<std::uint64_t> exit_seen_;  // when a global exit was first seen
};

}  // namespace weft::launch::rules
