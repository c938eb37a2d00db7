// What the environment says of the job that this process was started in (kJobVariable), and the control file by that.
#pragma once

#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::boot {

struct Ticket {
  unsigned layout = 0;
  int launcher = 0;
  int control_fd = -1;
  unsigned long control_inode = 0;
  int data_fd = -1;
  unsigned long data_inode = 0;
  int heap_fd = -1;
  unsigned long heap_inode = 0;
  int pe = -1;
};

base::Result<Ticket> read_ticket() noexcept;

/// Of the job's control file; what is in it is held to its size.
base::Result<JobHeader*> map_control(int fd) noexcept;

/// This descriptor is that of the file.
bool is_file(int fd, unsigned long inode) noexcept;

/// The PE's number on this node; -1 where it is not of this node or not of the job.
int number_here(JobHeader* job, int pe) noexcept;

/// Where this process's OpenMP threads tell what they wait for, where it has come to no job itself: it may be any
/// program that oshrun has started. Null: it is in none, or another process tells of its own there.
PeThreads* find_threads() noexcept;
/// The same of a PE that is known.
PeThreads* claim_threads(JobHeader* job, int local) noexcept;

}  // namespace weft::boot
