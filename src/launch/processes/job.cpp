#include "launch/processes/job.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

namespace weft::launch::processes {
namespace {

// Who is where; the rest of the cards the PEs fill in themselves.
void deal_cards(const JobPlan& plan, boot::JobHeader* header) {
  std::uint32_t node = 0;
  for (const std::vector<int>& pes : plan.node_pes) {
    std::uint32_t local = 0;
    for (const int pe : pes) {
      boot::PeerCard& card = *boot::peer_card(header, pe);
      card.node = node;
      card.local = local++;
    }
    ++node;
  }
}

}  // namespace

base::Result<Job> make_job(const JobPlan& plan) {
  const bool several = plan.node_pes.size() > 1;
  std::size_t job_pes = several ? 0 : static_cast<std::size_t>(plan.n_pes);
  for (std::size_t node = 0; several && node < plan.node_pes.size(); ++node) job_pes += plan.node_pes[node].size();
  const base::Result<boot::NodeFiles> files =
      boot::make_node_files({.n_pes = plan.n_pes,
                             .cpus = plan.cpus,
                             .heap_bytes = plan.heap_bytes,
                             .pages = plan.pages,
                             .job_pes = static_cast<int>(job_pes),
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
