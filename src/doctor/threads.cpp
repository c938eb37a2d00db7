#include "doctor/threads.hpp"

#include <algorithm>

namespace weft::doctor {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// The kernel has no higher numbers for threads, and a program not so many.
constexpr std::uint32_t kMostId = 1U << 22;
constexpr std::uint32_t kMostThreads = 1U << 20;
constexpr std::uint32_t kMostLevel = 255;
constexpr std::uint32_t kLooksBetween = 2;

void read_place(const boot::ThreadRecord& record, Thread& thread) {
  thread.home = record.home.load(kRelaxed);
  thread.home_number = record.home_number.load(kRelaxed);
  thread.home_level = record.home_level.load(kRelaxed);
  thread.home_primary = record.home_primary.load(kRelaxed);
  thread.task = record.task.load(kRelaxed);
  thread.task_parent = record.task_parent.load(kRelaxed);
  thread.task_group = record.task_group.load(kRelaxed);
  thread.arrived = record.arrived.load(kRelaxed);
  for (const std::atomic<std::uint64_t>& held : record.held) {
    if (const std::uint64_t lock = held.load(kRelaxed); lock != 0) thread.held.push_back(lock);
  }
}

// Not begun to be filled for the next one meanwhile.
bool read_wait(const boot::ThreadRecord& record, Thread& thread) {
  // Acquire: what was written before `since` is seen.
  const std::uint64_t since = record.since.load(std::memory_order_acquire);
  if (since == 0) return false;
  thread.why = static_cast<boot::ThreadWaits>(record.why.load(kRelaxed));
  thread.site = record.site.load(kRelaxed);
  thread.object = record.object.load(kRelaxed);
  thread.wanted = record.wanted.load(kRelaxed);
  thread.holder = record.holder.load(kRelaxed);
  thread.looks = record.looks.load(kRelaxed);
  thread.team = record.team.load(kRelaxed);
  thread.number = record.number.load(kRelaxed);
  thread.size = record.size.load(kRelaxed);
  thread.primary = record.primary.load(kRelaxed);
  thread.since = since;
  // Acquire: the copy was read before this looks once more.
  std::atomic_thread_fence(std::memory_order_acquire);
  return record.since.load(kRelaxed) == since;
}

std::string odd(std::uint32_t number, const char* what) { return std::to_string(number) + " " + what; }

// What of it cannot be, in words; "" when all can.
std::string check(const Thread& thread) {
  for (const std::uint32_t id : {thread.id, thread.home_primary, thread.holder, thread.primary}) {
    if (id > kMostId) return odd(id, "as the number of a thread");
  }
  if (thread.home_number >= kMostThreads) return odd(thread.home_number, "as the number of an OpenMP thread");
  if (thread.home_level > kMostLevel) return odd(thread.home_level, "as the level of a region");
  if (thread.why > boot::ThreadWaits::kLast) {
    return odd(static_cast<std::uint32_t>(thread.why), "as what an OpenMP thread waits for");
  }
  if (thread.size == 0 || thread.size > kMostThreads) return odd(thread.size, "as the size of an OpenMP team");
  if (thread.number >= thread.size) return odd(thread.number, "as the number of an OpenMP thread");
  return {};
}

const Thread* same_in(const OpenMp& openmp, const Thread& wait) {
  const auto found = std::find_if(openmp.threads.begin(), openmp.threads.end(),
                                  [&](const Thread& other) { return other.same_wait(wait); });
  return found == openmp.threads.end() ? nullptr : &*found;
}

// Who idles does not look, and is no news.
bool has_looked(const Thread& before, const Thread& after) {
  return after.idles() || after.looks - before.looks >= kLooksBetween;
}

}  // namespace

OpenMp read_threads(const boot::PeThreads& from, std::uint64_t now, std::string* damage) {
  OpenMp openmp;
  openmp.pid = from.pid.load(kRelaxed);
  if (openmp.pid <= 0) return {};
  const std::uint32_t by = from.by.load(kRelaxed);
  openmp.by = by <= static_cast<std::uint32_t>(boot::ThreadsBy::kLast) ? static_cast<boot::ThreadsBy>(by)
                                                                       : boot::ThreadsBy::kProcess;
  openmp.here = from.here.load(kRelaxed);
  openmp.first = from.first.load(kRelaxed);
  openmp.size = from.size.load(kRelaxed);
  openmp.team = from.team.load(kRelaxed);
  const bool fits =
      openmp.size <= kMostThreads && openmp.first <= openmp.size && openmp.here <= openmp.size - openmp.first;
  if (!fits) {
    *damage = odd(openmp.size, "as the size of an OpenMP team");
    openmp.here = openmp.first = openmp.size = 0;
  }
  const std::uint32_t used = std::min<std::uint32_t>(from.used.load(kRelaxed), boot::PeThreads::kMost);
  for (std::uint32_t k = 0; k < used; ++k) {
    const boot::ThreadRecord& record = from.threads[k];
    Thread thread;
    thread.id = record.id.load(kRelaxed);
    if (thread.id == 0) continue;
    read_place(record, thread);
    Thread waiting = thread;
    if (read_wait(record, waiting)) thread = std::move(waiting);
    if (std::string what = check(thread); !what.empty()) {
      *damage = std::move(what);
      continue;
    }
    thread.since = std::min(thread.since, now);  // the clocks of two hosts differ
    thread.lasted = now - thread.since;
    openmp.threads.push_back(std::move(thread));
  }
  return openmp;
}

bool is_settled(const OpenMp& before, const OpenMp& after) {
  return std::all_of(after.threads.begin(), after.threads.end(), [&](const Thread& thread) {
    const Thread* then = thread.waits() ? same_in(before, thread) : nullptr;
    return then == nullptr || has_looked(*then, thread);
  });
}

void keep_still(const OpenMp& before, OpenMp& after) {
  for (Thread& thread : after.threads) {
    const Thread* then = same_in(before, thread);
    thread.still = then != nullptr && (!thread.waits() || has_looked(*then, thread));
  }
}

}  // namespace weft::doctor
