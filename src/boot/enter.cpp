#include "boot/enter.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "boot/presence.hpp"
#include "boot/ticket.hpp"

namespace weft::boot {
namespace {

// The inherited descriptor, or, where a process between the launcher and this one has closed it, the launcher's own.
base::Result<int> open_inherited(const Ticket& ticket, int ours, int launchers, unsigned long inode) noexcept {
  if (is_file(ours, inode)) {
    // Programs that this PE starts must not keep the job's memory alive.
    (void)::fcntl(ours, F_SETFD, FD_CLOEXEC);
    return ours;
  }
  char path[64];
  (void)std::snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket.launcher, launchers);
  const int opened = ::open(path, O_RDWR | O_CLOEXEC);
  if (opened >= 0 && is_file(opened, inode)) {
    return opened;
  }
  return base::Error::make("cannot open the job's memory (%s: %s); is oshrun (process %d) still running?", path,
                           std::strerror(errno), ticket.launcher);
}

}  // namespace

bool job_is_refused() noexcept { return std::getenv(kJobVariable) != nullptr && !started_in_a_job(); }

base::Result<Attachment> enter_job() noexcept {
  const auto ticket = read_ticket();
  if (!ticket) {
    return ticket.error();
  }
  const auto control = open_inherited(*ticket, ticket->control_fd, ticket->control_fd, ticket->control_inode);
  if (!control) {
    return control.error();
  }
  const auto job = map_control(*control);
  if (!job) {
    return job.error();
  }
  ::close(*control);
  const int local = number_here(*job, ticket->pe);
  if (local < 0) {
    return base::Error::make("%s is %d, but the job has %u PEs, %u of them on this node", kPeVariable, ticket->pe,
                             (*job)->job_pes, (*job)->n_pes);
  }
  Attachment attached{*job, pe_record(*job, local), ticket->pe, local, -1, -1};
  std::int32_t owner = 0;
  // Relaxed: the claim itself is all that is exchanged.
  const bool first = attached.record->pid.compare_exchange_strong(owner, ::getpid(), std::memory_order_relaxed);
  // A program may execute itself or another anew, as wrappers do to change its environment, until it calls shmem_init.
  const auto phase = static_cast<Phase>(attached.record->phase.load(std::memory_order_relaxed));
  if (!first && owner == ::getpid() && phase > Phase::kAttached) {
    ::munmap(*job, static_cast<std::size_t>((*job)->control_bytes));  // by which oshrun knows a PE (replaced.cpp)
    return base::Error::make("PE %d started another %s program with exec after %s; only before it may it", ticket->pe,
                             base::words().interface, base::words().begin);
  }
  if (!first && owner != ::getpid()) {
    if (::kill(owner, 0) != 0) {
      base::say(nullptr,
                "PE %d was another process that has ended; this one (pid %d) runs as a job of its own, with 1 PE",
                ticket->pe, ::getpid());
    }
    ::munmap(*job, static_cast<std::size_t>((*job)->control_bytes));
    return Attachment{};
  }
  attached.data_fd = ticket->data_fd;
  attached.heap_fd = ticket->heap_fd;
  if (const auto opened = reopen_files(&attached); !opened) {
    return opened.error();
  }
  show_presence(*attached.record);
  // Relaxed: the launcher only reports it.
  attached.record->phase.store(static_cast<std::uint32_t>(Phase::kAttached), std::memory_order_relaxed);
  return attached;
}

base::Result<void> reopen_files(Attachment* attached) noexcept {
  const auto ticket = read_ticket();
  if (!ticket) {
    return ticket.error();
  }
  const auto data = open_inherited(*ticket, attached->data_fd, ticket->data_fd, ticket->data_inode);
  if (!data) {
    return data.error();
  }
  const bool one_file = ticket->heap_inode == ticket->data_inode;
  const auto heap = one_file ? data : open_inherited(*ticket, attached->heap_fd, ticket->heap_fd, ticket->heap_inode);
  if (!heap) {
    return heap.error();
  }
  attached->data_fd = *data;
  attached->heap_fd = *heap;
  return {};
}

base::Result<Attachment> enter_alone(std::uint64_t heap_bytes) noexcept {
  const std::size_t bytes = control_bytes(1);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) {
    return base::Error::make("no memory for %zu bytes: %s", bytes, std::strerror(errno));
  }
  auto* job = static_cast<JobHeader*>(at);
  job->magic = kJobMagic;
  job->layout = kJobLayout;
  job->n_pes = 1;
  job->job_pes = 1;
  job->n_nodes = 1;
  job->control_bytes = bytes;
  job->heap_bytes = heap_bytes;
  job->cpus = 1;
  return Attachment{job, pe_record(job, 0), 0, 0, -1, -1};
}

}  // namespace weft::boot
