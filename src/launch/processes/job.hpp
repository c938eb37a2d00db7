// What a job is made of before its first PE: two files in memory and the header all PEs read.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/result.hpp"
#include "boot/job.hpp"
#include "boot/node_files.hpp"

namespace weft::launch::processes {

struct JobPlan {
  int n_pes = 1;
  int cpus = 1;
  std::uint64_t heap_bytes = 0;  // per PE, a multiple of the page size
  base::HugePages pages = base::HugePages::kOff;
  // In a job of several nodes, where n_pes is this one's.
  int node = 0;
  std::vector<std::vector<int>> node_pes = {};  // the PEs of each, by their numbers there; empty: one node
  std::uint64_t token = 0;                      // 0: a new one
  std::array<std::uint64_t, 2> key{};
};

struct Job {
  boot::JobHeader* header = nullptr;
  int control_fd = -1;
  int data_fd = -1;
  int heap_fd = -1;  // data_fd, unless the heaps have reserved huge pages
  /// Why the pages that were asked for could not be had; empty when they could, or were not asked for.
  std::string pages_note;

  boot::PeRecord& pe(int number) const { return *boot::pe_record(header, number); }
};

/// Makes the files and fills in the header. The descriptors are inherited by what is started afterwards.
base::Result<Job> make_job(const JobPlan& plan);

/// The value of boot::kJobVariable by which a PE finds the files.
std::string job_variable(const Job& job);

}  // namespace weft::launch::processes
