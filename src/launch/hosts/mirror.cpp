#include "launch/hosts/mirror.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "boot/changes.hpp"
#include "launch/tree/frames.hpp"
#include "os/process.hpp"

namespace weft::launch::hosts {

using tree::Packer;
using tree::Unpacker;

base::Result<processes::Job> make_mirror(int n_pes, int n_nodes, std::uint64_t token) {
  const std::size_t bytes = boot::records_bytes(n_pes);
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

void RecordNews::tell(int local, const std::string& now, std::string& payload) {
  std::string& told = told_[static_cast<std::size_t>(local)];
  payload += Packer().put(pes_[static_cast<std::size_t>(local)]).bytes();
  std::array<std::byte, boot::most_changes(sizeof(boot::PeRecord))> changes;
  const std::size_t bytes = boot::put_changes(told.data(), now.data(), now.size(), changes.data());
  payload.append(reinterpret_cast<const char*>(changes.data()), bytes);
  told = now;
}

std::string RecordNews::take(int local) {
  std::string payload;
  std::string now;
  read(local, now);
  tell(local, now, payload);
  return payload;
}

std::string RecordNews::take() {
  std::string payload;
  std::string now;
  for (int local = 0; local < static_cast<int>(told_.size()); ++local) {
    read(local, now);
    if (now != told_[static_cast<std::size_t>(local)]) tell(local, now, payload);
  }
  return payload;
}

namespace {

// Times of waits, from one clock to another. Relaxed: oshrun has one thread, and nobody else writes a mirror.
void shift_times(boot::PeRecord& record, std::uint64_t by) {
  for (boot::WaitRecord& wait : record.waits) {
    const std::uint64_t since = wait.since.load(std::memory_order_relaxed);
    if (since != 0) wait.since.store(since + by, std::memory_order_relaxed);
  }
}

}  // namespace

bool apply_records(std::string_view payload, boot::JobHeader* mirror, std::int64_t clock, const std::vector<int>& pes) {
  constexpr std::size_t kWord = boot::kChangedWord;
  static_assert(sizeof(boot::PeRecord) % kWord == 0 && sizeof(boot::PeRecord) / kWord <= boot::kMostChangedWords);
  static_assert(offsetof(boot::WaitRecord, since) % kWord == 0, "a time comes whole or not at all");
  const auto by = static_cast<std::uint64_t>(clock);
  Unpacker from(payload);
  while (!from.rest().empty()) {
    const int pe = from.get<int>();
    if (!from.fine() || !std::binary_search(pes.begin(), pes.end(), pe)) return false;
    boot::PeRecord& record = *boot::pe_record(mirror, pe);
    // What the words that come are changes of has the sender's times.
    shift_times(record, 0 - by);
    const std::string_view rest = from.rest();
    const auto* const begin = reinterpret_cast<const std::byte*>(rest.data());
    const std::byte* const behind = boot::take_changes(begin, begin + rest.size(), &record, sizeof record);
    shift_times(record, by);
    if (behind == nullptr) return false;
    (void)from.take(static_cast<std::size_t>(behind - begin));
  }
  return true;
}

namespace {

constexpr std::size_t kHeadBytes = offsetof(boot::PeThreads, threads);
// Instead of the number of a thread: what its process tells.
constexpr std::uint32_t kHead = UINT32_MAX;

std::size_t at_thread(std::uint32_t k) { return kHeadBytes + k * sizeof(boot::ThreadRecord); }

// Without what changes all the time; and which tasks run, only where somebody waits who may wait for them.
std::string read_threads(const boot::PeThreads& from) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint32_t used = std::min<std::uint32_t>(from.used.load(kRelaxed), boot::PeThreads::kMost);
  if (used == 0) return {};
  std::string bytes(at_thread(used), '\0');
  std::memcpy(bytes.data(), static_cast<const void*>(&from), bytes.size());
  bool one_waits = false;
  for (std::uint32_t k = 0; k < used; ++k) {
    const boot::ThreadRecord& record = from.threads[k];
    one_waits = one_waits || (record.since.load(kRelaxed) != 0 &&
                              record.why.load(kRelaxed) != static_cast<std::uint32_t>(boot::ThreadWaits::kRegion));
  }
  for (std::uint32_t k = 0; k < used; ++k) {
    char* record = bytes.data() + at_thread(k);
    std::memset(record + offsetof(boot::ThreadRecord, looks), 0, sizeof(boot::ThreadRecord::looks));
    constexpr std::size_t kTask = offsetof(boot::ThreadRecord, task);
    if (!one_waits) std::memset(record + kTask, 0, offsetof(boot::ThreadRecord, held) - kTask);
  }
  return bytes;
}

}  // namespace

void RecordNews::take_threads(int local, std::string& payload) {
  std::string now = read_threads(*boot::pe_threads(job_, local));
  std::string& told = threads_told_[static_cast<std::size_t>(local)];
  if (now == told) return;
  const auto tell = [&](std::uint32_t which, std::size_t at, std::size_t bytes) {
    const std::string_view part = std::string_view(now).substr(at, bytes);
    if (at + bytes <= told.size() && part == std::string_view(told).substr(at, bytes)) return;
    payload += Packer().put(pes_[static_cast<std::size_t>(local)]).put(which).raw(part).bytes();
  };
  if (now.empty()) now.resize(kHeadBytes);
  tell(kHead, 0, kHeadBytes);
  for (std::uint32_t k = 0; at_thread(k) < now.size(); ++k) tell(k, at_thread(k), sizeof(boot::ThreadRecord));
  told = std::move(now);
}

std::string RecordNews::take_threads() {
  std::string payload;
  for (int local = 0; local < static_cast<int>(threads_told_.size()); ++local) take_threads(local, payload);
  return payload;
}

bool apply_threads(std::string_view payload, boot::JobHeader* mirror, std::int64_t clock, const std::vector<int>& pes) {
  Unpacker from(payload);
  while (!from.rest().empty()) {
    const int pe = from.get<int>();
    const auto which = from.get<std::uint32_t>();
    const std::string_view bytes = from.take(which == kHead ? kHeadBytes : sizeof(boot::ThreadRecord));
    const bool exists = which == kHead || which < boot::PeThreads::kMost;
    if (!from.fine() || !exists || !std::binary_search(pes.begin(), pes.end(), pe)) return false;
    boot::PeThreads& threads = *boot::pe_threads(mirror, pe);
    std::memcpy(reinterpret_cast<char*>(&threads) + (which == kHead ? 0 : at_thread(which)), bytes.data(),
                bytes.size());
    if (which == kHead) continue;
    std::atomic<std::uint64_t>& since = threads.threads[which].since;
    const std::uint64_t told = since.load(std::memory_order_relaxed);
    if (told != 0) since.store(told + static_cast<std::uint64_t>(clock), std::memory_order_relaxed);
  }
  return true;
}

void mark_gone(boot::JobHeader* mirror, int pe) {
  boot::pe_record(mirror, pe)->pid.store(-1, std::memory_order_relaxed);
}

}  // namespace weft::launch::hosts
