// How a process finds out which PE of which job it is.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::boot {

struct Attachment {
  JobHeader* job = nullptr;
  PeRecord* record = nullptr;
  int me = 0;        // number in the job
  int local = 0;     // number on the node, by which all but the cards is indexed
  int data_fd = -1;  // -1: no oshrun, a job of one PE
  int heap_fd = -1;
};

/// True when the environment names a job (this process was started, directly or not, by oshrun).
bool started_in_a_job() noexcept;

/// True when it does, and is not believed: this program has rights of its own (set-user-ID), and whoever started it
/// made the environment.
bool job_is_refused() noexcept;

/// Maps the control file that the environment names and claims this PE. An attachment with job == nullptr means that
/// another process has claimed the PE already: this one is a helper that a PE started, and a job of its own.
base::Result<Attachment> enter_job() noexcept;

/// The job's files once more, where the program has closed their descriptors since; the same ones where it has not.
base::Result<void> reopen_files(Attachment* attached) noexcept;

/// A job of this process alone, in private memory.
base::Result<Attachment> enter_alone(std::uint64_t heap_bytes) noexcept;

/// PEs of a job of several nodes, at most: a damaged number shall not ask for all memory. Each takes 192 bytes on a
/// node.
inline constexpr int kMostJobPes = 1 << 20;

/// Whether the numbers in a control file of so many bytes are of one job: all that lies in it is found by them.
bool is_whole(const JobHeader& job, std::size_t bytes) noexcept;

}  // namespace weft::boot
