#include "launch/hosts/mirror.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "launch/hosts/frames.hpp"
#include "os/process.hpp"

namespace weft::launch::hosts {

base::Result<processes::Job> make_mirror(int n_pes, int n_nodes, std::uint64_t token) {
  const std::size_t bytes = sizeof(boot::JobHeader) + static_cast<std::size_t>(n_pes) * sizeof(boot::PeRecord);
  processes::Job job;
  const base::Result<int> file = os::make_memory_file("weft-control", bytes);
  if (!file) return file.error();
  job.control_fd = *file;
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, job.control_fd, 0);
  if (mapped == MAP_FAILED) return base::Error::make("cannot map the job's control file: %s", std::strerror(errno));
  job.header = static_cast<boot::JobHeader*>(mapped);
  job.header->magic = boot::kJobMagic;
  job.header->layout = boot::kJobLayout;
  job.header->n_pes = job.header->job_pes = static_cast<std::uint32_t>(n_pes);
  job.header->n_nodes = static_cast<std::uint32_t>(n_nodes);
  job.header->control_bytes = bytes;
  job.header->launcher_pid = ::getpid();
  job.header->token = token;
  return job;
}

// Without what changes all the time while a PE waits: it would be news from each PE at each look.
void RecordNews::read(int local, std::string& into) const {
  const boot::PeRecord& record = *boot::pe_record(job_, local);
  into.resize(sizeof record);
  std::memcpy(into.data(), static_cast<const void*>(&record), sizeof record);
  const std::uint32_t stopped = stopped_[static_cast<std::size_t>(local)] ? 1 : 0;
  constexpr std::size_t kStopped = offsetof(boot::PeRecord, presence) + offsetof(boot::Presence, stopped);
  std::memcpy(into.data() + kStopped, &stopped, sizeof stopped);
  for (int k = 0; k < boot::kWaits; ++k) {
    char* wait = into.data() + offsetof(boot::PeRecord, waits) + static_cast<std::size_t>(k) * sizeof(boot::WaitRecord);
    std::memset(wait + offsetof(boot::WaitRecord, looks), 0, sizeof(boot::WaitRecord::looks));
    std::int32_t size = 0;
    std::memcpy(&size, wait + offsetof(boot::WaitRecord, size), sizeof size);
    std::uint32_t why = 0;
    std::memcpy(&why, wait + offsetof(boot::WaitRecord, why), sizeof why);
    // A collective's: members may be there, which do not change. A message's: others that have come, which seldom do.
    if (size > 1 || why == static_cast<std::uint32_t>(boot::Waiting::kMessage)) continue;
    std::memset(wait + offsetof(boot::WaitRecord, n_missing), 0, sizeof(boot::WaitRecord::n_missing));
    std::memset(wait + offsetof(boot::WaitRecord, missing), 0, sizeof(boot::WaitRecord::missing));
  }
}

std::string RecordNews::take(int local) {
  std::string& told = told_[static_cast<std::size_t>(local)];
  read(local, told);
  return Packer().put(pes_[static_cast<std::size_t>(local)]).raw(told).bytes();
}

std::string RecordNews::take() {
  std::string payload;
  std::string now;
  for (int local = 0; local < static_cast<int>(told_.size()); ++local) {
    std::string& told = told_[static_cast<std::size_t>(local)];
    read(local, now);
    if (now == told) continue;
    told = now;
    payload += Packer().put(pes_[static_cast<std::size_t>(local)]).raw(told).bytes();
  }
  return payload;
}

bool apply_records(std::string_view payload, boot::JobHeader* mirror, std::int64_t clock, const std::vector<int>& pes) {
  Unpacker from(payload);
  while (!from.rest().empty()) {
    const int pe = from.get<int>();
    const std::string_view bytes = from.take(sizeof(boot::PeRecord));
    if (!from.fine() || !std::binary_search(pes.begin(), pes.end(), pe)) return false;
    boot::PeRecord& record = *boot::pe_record(mirror, pe);
    std::memcpy(static_cast<void*>(&record), bytes.data(), bytes.size());
    for (boot::WaitRecord& wait : record.waits) {
      const std::uint64_t since = wait.since.load(std::memory_order_relaxed);
      if (since != 0) wait.since.store(since + static_cast<std::uint64_t>(clock), std::memory_order_relaxed);
    }
  }
  return true;
}

void mark_gone(boot::JobHeader* mirror, int pe) {
  boot::pe_record(mirror, pe)->pid.store(-1, std::memory_order_relaxed);
}

}  // namespace weft::launch::hosts
