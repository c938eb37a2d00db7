// The program a job runs: where it is, and why it cannot be started.
#pragma once

#include <elf.h>

#include <string>

#include "base/result.hpp"

namespace weft::launch::command {

inline constexpr int kNotFound = 127;  // exit codes of shells
inline constexpr int kNotExecutable = 126;

/// What programs for this kind of machine have in their heads.
#if defined(__x86_64__)
inline constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
inline constexpr Elf64_Half kMachine = EM_PPC64;
#elif defined(__riscv)
inline constexpr Elf64_Half kMachine = EM_RISCV;
#else
inline constexpr Elf64_Half kMachine = EM_NONE;
#endif

struct Program {
  std::string path;
  int exit_code = 0;  // != 0: it cannot be run, and `problem` says why
  std::string problem;
};

/// Looks for the program as a shell does: a name with a slash is a path, any other is searched on `search` (PATH).
/// Relative paths begin in `folder`, where that is not empty.
Program find_program(const char* name, const char* search, const std::string& folder = {});

/// The folder that a part of the command line runs in, from the root on; empty for where we are, which needs no name.
/// An error where PEs could not go there.
base::Result<std::string> folder_of(const std::string& work_dir);

/// The program was there, yet the kernel refused to start it with this errno: why, and the exit code for it.
Program explain_refusal(const std::string& path, int error);

}  // namespace weft::launch::command
