// What of this machine and of this environment decides whether a job of so many PEs runs, and how well. Nothing but
// values: judge.hpp says what they mean, so that each judgement can be tested with a machine that is made up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "os/memory_info.hpp"

namespace weft::info {

inline constexpr std::uint64_t kNoLimit = UINT64_MAX;

struct Limit {
  std::uint64_t soft = kNoLimit;
  std::uint64_t hard = kNoLimit;
};

struct Facts {
  int n_pes = 1;

  // What Weft is told.
  base::Options options;
  std::string options_problem;             // why it does not understand the options; then they are the defaults
  std::vector<std::string> unknown_names;  // variables that look like Weft's and are not

  // What this process may use (getrlimit), and whether it may raise its limits itself.
  Limit descriptors;
  Limit processes;
  Limit address_space;
  Limit file_size;
  Limit locked_memory;
  Limit core_size;
  bool root = false;                          // its remedies need no sudo
  bool unlimited_processes = false;           // root is not counted
  std::uint64_t processes_of_user = 0;        // with their threads, now
  std::int64_t processes_left_in_group = -1;  // -1: no limit

  // Memory.
  std::uint64_t page = 4096;
  os::MemoryInfo memory;
  std::uint64_t available = 0;  // what can be had without swapping, 0 when unknown
  int overcommit = 0;           // vm.overcommit_memory
  std::uint64_t commit_left = 0;
  std::uint64_t dev_shm = 0;  // 0: there is none
  long max_mappings = 65530;
  std::uint64_t free_huge_pages = 0;  // of 2 MiB
  std::uint64_t huge_pages = 0;
  std::string thp_of_files;  // the word in use of shmem_enabled; "": no such kernel

  // The machine.
  int processors = 1;  // online
  int affinity = 1;    // of them, what this process may use
  int quota = 0;       // processors' worth of time, 0: no limit
  int numa_nodes = 1;
  bool numa_balancing = false;
  std::string clock;
  bool tsc_is_there = false;  // the kernel offers it
  int ptrace_scope = 0;       // 0 where the kernel has no such setting
  std::string core_pattern;
  std::string container;  // its kind, "": none was recognised
  bool seccomp = false;

  // What was tried. Empty: it works.
  std::string memory_problem;     // a file in memory as a job has one
  std::string placement_problem;  // libweft_placement.so
  // Ways to another process's memory by one copy, in the order in which they are tried.
  struct Way {
    std::string name;
    std::string problem;
  };
  std::vector<Way> single_copy;
};

/// Everything, here and now.
Facts gather(int n_pes);

/// Processors a job can count on.
int usable_cpus(const Facts& facts);

/// The PEs that --check thinks of unless it is told: one for each of them.
int default_pes();

/// Why libweft_placement.so cannot be loaded; empty when it can.
std::string try_placement();

/// Why there can be no file of this size that processes map; empty when there can. Nothing of it is touched.
std::string try_memory(std::uint64_t bytes);

}  // namespace weft::info
