// Starts the PEs of a job, one after the other.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/command/debug_plan.hpp"
#include "launch/command/program.hpp"
#include "launch/processes/job.hpp"
#include "launch/streams/outputs.hpp"
#include "os/process.hpp"

namespace weft::launch::processes {

/// Open files of the launcher: two pipes for what each PE writes, if it passes that on, and its own.
constexpr std::uint64_t descriptors_needed(int n_pes, std::uint64_t for_each = 2) noexcept {
  return for_each * static_cast<std::uint64_t>(n_pes) + 32;
}

/// What some PEs run: a file, and its argv, which a null ends.
struct ProgramPart {
  int n_pes = 0;
  std::string path;
  char** words = nullptr;
  std::string directory = {};                 // where they run; empty: where we are
  std::vector<std::string> environment = {};  // NAME=VALUE, beside ours
  bool same_addresses = false;                // in all of its processes, which are one program
};

/// A PE that runs, and our ends of its pipes; -1 where it writes to files.
struct Started {
  pid_t pid = -1;
  int out = -1;
  int err = -1;
};

/// Why a PE could not be started: the line to say and the exit code of oshrun.
struct NotStarted {
  std::string text;
  int exit_code = 1;
};

class Starter {
 public:
  Starter(const Job& job, const std::vector<ProgramPart>& programs, const streams::OutputFiles& files,
          const sigset_t& reset_signals);
  ~Starter();
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  /// Makes room for the descriptors of all PEs.
  std::optional<NotStarted> prepare(bool with_inputs);
  struct Place {
    int input = -1;                           // what the PE reads; -1: nothing
    const cpu_set_t* cpus = nullptr;          // where it runs; null: where we may
    const command::DebugPlan* gdb = nullptr;  // gdb is to start the program, on our terminal
  };
  /// `pe` is its number in the job. `note_pid` gets the PE's id before its program begins.
  std::optional<NotStarted> start(int pe, const Place& place, std::atomic<pid_t>* note_pid, Started* started);

 private:
  struct Program {
    int end = 0;  // its PEs begin where the program's before it end
    std::string path;
    std::string script;  // what /bin/sh is to run, where that is the path
    std::vector<char*> words;
    std::string directory;
    std::vector<std::string> own;    // of its environment
    std::vector<char*> environment;  // with room for what differs from PE to PE at its end
    bool same_addresses = false;
  };
  Program& program_of(int pe);
  void make_environment(Program& program);
  void fill_environment(int pe, Program& program);
  static void give_to_shell(Program& program);
  std::optional<NotStarted> start_in_gdb(int pe, const command::DebugPlan& debug, os::Spawn plan, Started* started);
  std::optional<NotStarted> open_outputs(int pe, streams::Outputs& outputs) const;
  std::optional<NotStarted> refused(int pe, int error) const;

  int n_pes_;              // here
  int job_pes_;            // in the whole job
  std::vector<int> here_;  // in a job of several nodes: the PEs that are to be started here, in rising order
  streams::OutputFiles files_;
  std::vector<Program> programs_;
  std::string job_;
  std::string pes_;
  std::vector<std::string> of_pe_;  // what differs
  sigset_t reset_;
  std::uint64_t mark_;
  rlimit limit_before_{};
  int null_ = -1;
};

}  // namespace weft::launch::processes
