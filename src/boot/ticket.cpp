#include "boot/ticket.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/words.hpp"
#include "boot/enter.hpp"

namespace weft::boot {
namespace {

// Numbers with colons between them. Not by sscanf, which takes as long as six system calls for these.
template <class... Numbers>
bool read_numbers(const char* text, Numbers*... into) noexcept {
  const char* const end = text + std::strlen(text);
  bool first = true;
  const auto read = [&](auto* number) noexcept {
    if (!std::exchange(first, false) && (text == end || *text++ != ':')) return false;
    const auto [behind, error] = std::from_chars(text, end, *number);
    text = behind;
    return error == std::errc{};
  };
  return (read(into) && ...);
}

// Nothing is changed for whoever the descriptor is for.
int open_control(const Ticket& ticket) noexcept {
  char path[64];
  (void)std::snprintf(path, sizeof path, "/proc/self/fd/%d", ticket.control_fd);
  if (!is_file(ticket.control_fd, ticket.control_inode)) {
    (void)std::snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket.launcher, ticket.control_fd);
  }
  const int opened = ::open(path, O_RDWR | O_CLOEXEC);
  if (opened >= 0 && !is_file(opened, ticket.control_inode)) {
    (void)::close(opened);
    return -1;
  }
  return opened;
}

}  // namespace

bool started_in_a_job() noexcept { return ::secure_getenv(kJobVariable) != nullptr; }

base::Result<Ticket> read_ticket() noexcept {
  Ticket ticket;
  const char* job = ::secure_getenv(kJobVariable);
  const char* pe = ::secure_getenv(kPeVariable);
  if (job == nullptr || pe == nullptr ||
      !read_numbers(job, &ticket.layout, &ticket.launcher, &ticket.control_fd, &ticket.control_inode, &ticket.data_fd,
                    &ticket.data_inode, &ticket.heap_fd, &ticket.heap_inode) ||
      !read_numbers(pe, &ticket.pe)) {
    return base::Error::make(
        "the environment variables %s and %s are damaged (\"%s\", \"%s\"); they are oshrun's own, "
        "do not set them",
        kJobVariable, kPeVariable, job == nullptr ? "" : job, pe == nullptr ? "" : pe);
  }
  return ticket;
}

bool is_file(int fd, unsigned long inode) noexcept {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_ino == inode;
}

base::Result<JobHeader*> map_control(int fd) noexcept {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return base::Error::make("cannot read the job's control file: %s", std::strerror(errno));
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    return base::Error::make("cannot map the job's control file: %s", std::strerror(errno));
  }
  auto* job = static_cast<JobHeader*>(at);
  if (bytes < sizeof(JobHeader) || job->magic != kJobMagic || job->layout != kJobLayout) {
    return base::Error::make(
        "oshrun and this program's %s are of different versions; use the oshrun of the "
        "installation the program was linked with",
        base::words().library);
  }
  if (!is_whole(*job, bytes)) {
    return base::Error::make("the job's control file is damaged: %zu bytes for %u PEs here of %u; start the job anew",
                             bytes, job->n_pes, job->job_pes);
  }
  return job;
}

int number_here(JobHeader* job, int pe) noexcept {
  if (pe < 0 || pe >= static_cast<int>(job->job_pes)) return -1;
  if (job->n_nodes <= 1) return pe;
  const PeerCard& card = *peer_card(job, pe);
  return card.node == job->node && card.local < job->n_pes ? static_cast<int>(card.local) : -1;
}

bool is_whole(const JobHeader& job, std::size_t bytes) noexcept {
  const bool counted = job.n_pes >= 1 && job.n_pes <= static_cast<std::uint32_t>(kMaxPes) && job.n_pes <= job.job_pes &&
                       job.job_pes <= static_cast<std::uint32_t>(kMostJobPes) && job.n_nodes >= 1 &&
                       job.n_nodes <= job.job_pes && job.node < job.n_nodes;
  return counted &&
         bytes >= control_bytes(static_cast<int>(job.n_pes), job.n_nodes > 1 ? static_cast<int>(job.job_pes) : 0);
}

PeThreads* claim_threads(JobHeader* job, int local) noexcept {
  PeThreads* const threads = pe_threads(job, local);
  const std::int32_t me = ::getpid();
  // Relaxed: the claim is all that is exchanged. What one that has ended told is no news of this one.
  std::int32_t owner = 0;
  if (threads->pid.compare_exchange_strong(owner, me, std::memory_order_relaxed) || owner == me) {
    return threads;
  }
  if (::kill(owner, 0) == 0 || errno != ESRCH ||
      !threads->pid.compare_exchange_strong(owner, me, std::memory_order_relaxed)) {
    return nullptr;
  }
  for (ThreadRecord& each : threads->threads) {
    each.since.store(0, std::memory_order_relaxed);
    each.id.store(0, std::memory_order_relaxed);
  }
  return threads;
}

PeThreads* find_threads() noexcept {
  const auto ticket = started_in_a_job() ? read_ticket() : base::Result<Ticket>(Ticket{});
  const int control = ticket && ticket->pe >= 0 ? open_control(*ticket) : -1;
  if (control < 0) {
    return nullptr;
  }
  const auto job = map_control(control);
  (void)::close(control);
  const int local = job ? number_here(*job, ticket->pe) : -1;
  return local < 0 ? nullptr : claim_threads(*job, local);
}

}  // namespace weft::boot
