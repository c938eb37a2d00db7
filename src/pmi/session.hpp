// This process as a PE of a job that somebody else's launcher has started: mpirun, srun, mpiexec.
#pragma once

#include "base/options.hpp"
#include "base/result.hpp"
#include "boot/enter.hpp"

namespace weft::pmi {

/// What can be said of the job before main, when nobody has been asked.
struct Prospect {
  int most_pes = 1;    // on this node; 1: no process manager has started several processes
  int first_here = 0;  // of them; a guess
};
/// From the environment. Where it names a process manager, and this process is no helper that a PE has started: leaves
/// a mark in the environment for such helpers.
Prospect look_ahead() noexcept;

/// shmem_init: connects to the manager, finds out who shares this node, and makes or opens the node's files. The static
/// data of this PE lies in statics_fd. On an error the job is ended, if the manager can be reached.
base::Result<boot::Attachment> join_job(const base::Options& options, int statics_fd) noexcept;

/// This process has joined a job through a manager.
bool joined() noexcept;

/// Whether the descriptors are still the job's files: the program may have closed them since.
base::Result<void> check_files(const boot::Attachment& attached) noexcept;

/// The file of the static data of a PE, by its number on the node.
base::Result<int> open_statics(int local) noexcept;

/// What boot::exchange_cards is under oshrun: this PE gives its card to all others, and theirs are in the table of the
/// node when it returns. Only in a job of several nodes.
base::Result<void> exchange_cards(boot::JobHeader* job, int pe, const boot::PeerCard& mine) noexcept;

/// Has the manager end the whole job. Nothing where there is none. May return.
void abort_job(int status, const char* why) noexcept;
/// For a PE that ends without shmem_finalize in a job of several nodes: waits for a while for all others to do the
/// same. False: they go on, or wait for this PE.
bool all_leave() noexcept;
/// The end of this process is no failure.
void leave_job() noexcept;

/// Only in a job of several nodes: has `lost` called, by a thread, with the number on the node of a PE that ends
/// between shmem_init and shmem_finalize. Once, when all PEs of the node have joined.
base::Result<void> watch_node(void (*lost)(int local) noexcept) noexcept;

/// A program that Slurm has started several times without telling it of the others is not one job: says what to do.
void tell_of_missing_manager() noexcept;

/// The number on the node of a PE that has ended between shmem_init and shmem_finalize, long enough ago that a launcher
/// that minds has had its time; -1: there is none. Cheap: looks every now and then.
int find_lost_pe() noexcept;

}  // namespace weft::pmi
