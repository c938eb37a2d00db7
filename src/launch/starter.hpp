// Starts the PEs of a job, one after the other.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "launch/job.hpp"
#include "launch/outputs.hpp"
#include "launch/program.hpp"

namespace weft::launch {

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
  /// `arguments` is the program's argv; `path` the file it was found in.
  Starter(const Job& job, std::string path, char** arguments, const OutputFiles& files, const sigset_t& reset_signals);
  ~Starter();
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  /// Makes room for the descriptors of all PEs.
  std::optional<NotStarted> prepare(bool with_inputs);
  /// `input` becomes stdin of the PE; -1: it reads nothing. `note_pid` gets its id before its program begins.
  std::optional<NotStarted> start(int pe, int input, std::atomic<pid_t>* note_pid, Started* started);

 private:
  std::optional<NotStarted> open_outputs(int pe, Outputs& outputs) const;
  std::optional<NotStarted> refused(int pe, int error, bool exec_failed) const;

  int n_pes_;
  OutputFiles files_;
  std::string path_;
  std::string script_;  // what /bin/sh is to run, where that is path_
  std::vector<char*> arguments_;
  std::vector<char*> environment_;
  std::string job_;
  std::string pes_;
  std::string pe_;
  std::size_t pe_slot_ = 0;  // of environment_
  sigset_t reset_;
  rlimit limit_before_{};
  int null_ = -1;
};

}  // namespace weft::launch
