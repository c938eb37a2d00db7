#include "launch/job.hpp"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "os/huge_pages.hpp"
#include "os/process.hpp"

namespace weft::launch {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Normal pages instead of none: a job that is slower is better than one that does not start, but it is said.
void place_heaps(const JobPlan& plan, Job& job) {
  job.heap_fd = job.data_fd;
  job.header->heap_slot_bytes = job.header->slot_bytes;
  job.header->pages =
      static_cast<std::uint32_t>(plan.pages == base::HugePages::kHugetlb ? base::HugePages::kOff : plan.pages);
  if (plan.pages != base::HugePages::kHugetlb) return;
  const std::uint64_t heap_slot = rounded_up(plan.heap_bytes, kHugePage);
  const base::Result<int> file = os::make_hugetlb_file("weft-heap", heap_slot * static_cast<std::uint64_t>(plan.n_pes));
  if (!file) {
    job.pages_note = file.error().text();
    return;
  }
  job.heap_fd = *file;
  job.header->heap_slot_bytes = heap_slot;
  job.header->heap_bytes = heap_slot;
  job.header->pages = static_cast<std::uint32_t>(base::HugePages::kHugetlb);
}

// Who is where; the rest of the cards the PEs fill in themselves.
void deal_cards(const JobPlan& plan, boot::JobHeader* header) {
  int pe = 0;
  for (std::size_t node = 0; node < plan.node_pes.size(); ++node) {
    for (int local = 0; local < plan.node_pes[node]; ++local) {
      boot::PeerCard& card = *boot::peer_card(header, pe++);
      card.node = static_cast<std::uint32_t>(node);
      card.local = static_cast<std::uint32_t>(local);
    }
  }
}

}  // namespace

base::Result<Job> make_job(const JobPlan& plan) {
  const SlotLayout layout = slot_layout(plan.heap_bytes);
  const std::uint64_t pes = static_cast<std::uint64_t>(plan.n_pes);
  if (layout.slot_bytes > static_cast<std::uint64_t>(INT64_MAX) / pes) {
    return base::Error::make("%d PEs with heaps of %llu bytes are beyond what a file can hold; lower one of the two",
                             plan.n_pes, static_cast<unsigned long long>(plan.heap_bytes));
  }
  Job job;
  const bool several = plan.node_pes.size() > 1;
  const int job_pes = several ? std::accumulate(plan.node_pes.begin(), plan.node_pes.end(), 0) : plan.n_pes;
  const std::uint64_t control_bytes = boot::control_bytes(plan.n_pes, several ? job_pes : 0);
  const base::Result<int> control = os::make_memory_file("weft-control", control_bytes);
  if (!control) return control.error();
  const base::Result<int> data = os::make_memory_file("weft-data", layout.slot_bytes * pes);
  if (!data) return data.error();
  job.control_fd = *control;
  job.data_fd = *data;

  void* mapped = ::mmap(nullptr, control_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, job.control_fd, 0);
  if (mapped == MAP_FAILED) return base::Error::make("cannot map the job's control file: %s", std::strerror(errno));
  job.header = static_cast<boot::JobHeader*>(mapped);
  job.header->magic = boot::kJobMagic;
  job.header->layout = boot::kJobLayout;
  job.header->n_pes = static_cast<std::uint32_t>(plan.n_pes);
  job.header->job_pes = static_cast<std::uint32_t>(job_pes);
  job.header->n_nodes = several ? static_cast<std::uint32_t>(plan.node_pes.size()) : 1;
  job.header->node = static_cast<std::uint32_t>(plan.node);
  job.header->control_bytes = control_bytes;
  job.header->slot_bytes = layout.slot_bytes;
  job.header->static_offset = layout.static_offset;
  job.header->heap_bytes = plan.heap_bytes;
  job.header->launcher_pid = ::getpid();
  job.header->cpus = static_cast<std::uint32_t>(plan.cpus);
  std::copy(plan.key.begin(), plan.key.end(), job.header->key);
  if (several) deal_cards(plan, job.header);
  job.header->token = plan.token;
  if (plan.token == 0 && ::getrandom(&job.header->token, sizeof job.header->token, GRND_NONBLOCK) < 0) {
    job.header->token = static_cast<std::uint64_t>(::getpid());  // it only names the job in messages
  }
  place_heaps(plan, job);
  return job;
}

std::string job_variable(const Job& job) {
  struct stat control {};
  struct stat data {};
  (void)::fstat(job.control_fd, &control);
  (void)::fstat(job.data_fd, &data);
  struct stat heap {};
  (void)::fstat(job.heap_fd, &heap);
  char text[192];
  (void)std::snprintf(text, sizeof text, "%s=%u:%d:%d:%llu:%d:%llu:%d:%llu", boot::kJobVariable, boot::kJobLayout,
                      job.header->launcher_pid, job.control_fd, static_cast<unsigned long long>(control.st_ino),
                      job.data_fd, static_cast<unsigned long long>(data.st_ino), job.heap_fd,
                      static_cast<unsigned long long>(heap.st_ino));
  return text;
}

}  // namespace weft::launch
