#include "launch/processes/job.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace weft::launch::processes {
namespace {

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
  const bool several = plan.node_pes.size() > 1;
  const base::Result<boot::NodeFiles> files = boot::make_node_files(
      {.n_pes = plan.n_pes,
       .cpus = plan.cpus,
       .heap_bytes = plan.heap_bytes,
       .pages = plan.pages,
       .job_pes = several ? std::accumulate(plan.node_pes.begin(), plan.node_pes.end(), 0) : plan.n_pes,
       .n_nodes = several ? static_cast<int>(plan.node_pes.size()) : 1,
       .node = plan.node,
       .token = plan.token});
  if (!files) return files.error();
  std::copy(plan.key.begin(), plan.key.end(), files->header->key);
  if (several) deal_cards(plan, files->header);
  return Job{files->header, files->control_fd, files->data_fd, files->heap_fd, files->pages_note.text()};
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

}  // namespace weft::launch::processes
