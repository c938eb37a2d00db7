#include "boot/node_files.hpp"

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/huge_pages.hpp"
#include "os/process.hpp"

namespace weft::boot {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Normal pages instead of none: a job that is slower is better than one that does not start, but it is said.
void place_heaps(const NodePlan& plan, NodeFiles& files) noexcept {
  files.heap_fd = files.data_fd;
  files.header->heap_slot_bytes = files.header->slot_bytes;
  files.header->pages =
      static_cast<std::uint32_t>(plan.pages == base::HugePages::kHugetlb ? base::HugePages::kOff : plan.pages);
  if (plan.pages != base::HugePages::kHugetlb) {
    return;
  }
  const std::uint64_t heap_slot = rounded_up(plan.heap_bytes, kHugePage);
  const base::Result<int> file = os::make_hugetlb_file("weft-heap", heap_slot * static_cast<std::uint64_t>(plan.n_pes));
  if (!file) {
    files.pages_note = file.error();
    return;
  }
  files.heap_fd = *file;
  files.header->heap_slot_bytes = heap_slot;
  files.header->heap_bytes = heap_slot;
  files.header->pages = static_cast<std::uint32_t>(base::HugePages::kHugetlb);
}

}  // namespace

base::Result<NodeFiles> make_node_files(const NodePlan& plan) noexcept {
  const SlotLayout layout = slot_layout(plan.heap_bytes, plan.n_pes);
  const std::uint64_t pes = static_cast<std::uint64_t>(plan.n_pes);
  const std::uint64_t each = layout.slot_bytes + kMostOwnBytes;
  if (each < kMostOwnBytes || each > static_cast<std::uint64_t>(INT64_MAX) / pes) {
    return base::Error::make("%d PEs with heaps of %llu bytes are beyond what a file can hold; lower one of the two",
                             plan.n_pes, static_cast<unsigned long long>(plan.heap_bytes));
  }
  NodeFiles files;
  const std::uint64_t bytes = control_bytes(plan.n_pes, plan.n_nodes > 1 ? plan.job_pes : 0);
  const base::Result<int> control = os::make_memory_file("weft-control", bytes);
  if (!control) {
    return control.error();
  }
  const base::Result<int> data = os::make_memory_file("weft-data", each * pes);
  if (!data) {
    return data.error();
  }
  files.control_fd = *control;
  files.data_fd = *data;

  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files.control_fd, 0);
  if (mapped == MAP_FAILED) {
    return base::Error::make("cannot map the job's control file: %s", std::strerror(errno));
  }
  files.header = static_cast<JobHeader*>(mapped);
  files.header->magic = kJobMagic;
  files.header->layout = kJobLayout;
  files.header->n_pes = static_cast<std::uint32_t>(plan.n_pes);
  files.header->job_pes = static_cast<std::uint32_t>(plan.job_pes > 0 ? plan.job_pes : plan.n_pes);
  files.header->n_nodes = static_cast<std::uint32_t>(plan.n_nodes);
  files.header->node = static_cast<std::uint32_t>(plan.node);
  files.header->control_bytes = bytes;
  files.header->slot_bytes = layout.slot_bytes;
  files.header->static_offset = layout.static_offset;
  files.header->heap_bytes = plan.heap_bytes;
  files.header->launcher_pid = ::getpid();
  files.header->cpus = static_cast<std::uint32_t>(plan.cpus);
  files.header->token = plan.token;
  if (plan.token == 0 && ::getrandom(&files.header->token, sizeof files.header->token, GRND_NONBLOCK) < 0) {
    files.header->token = static_cast<std::uint64_t>(::getpid());  // it only names the job in messages
  }
  place_heaps(plan, files);
  return files;
}

}  // namespace weft::boot
