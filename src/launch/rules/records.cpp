#include "launch/rules/records.hpp"

#include <algorithm>

#include "calls/calls.hpp"

namespace weft::launch::rules {

LongWait waiting_of(const boot::PeRecord& record, std::uint64_t now) {
  LongWait newest;
  for (const boot::WaitRecord& wait : record.waits) {
    // Acquire: what the wait is for was written before.
    const std::uint64_t since = wait.since.load(std::memory_order_acquire);
    const auto why = static_cast<boot::Waiting>(wait.why.load(std::memory_order_relaxed));
    // What cannot be was not written by a wait.
    if (since > now || why == boot::Waiting::kNot || why > boot::Waiting::kLast) continue;
    // The program goes on beside it.
    const bool beside = why == boot::Waiting::kPages && wait.compare.load(std::memory_order_relaxed) ==
                                                            static_cast<std::uint32_t>(boot::PagesFor::kBeside);
    if (since > newest.since && !beside) newest = {why, since};
  }
  return newest;
}

std::uint64_t threads_wait_since(const boot::PeThreads& threads, std::uint64_t now) {
  std::uint64_t newest = 0;
  const std::uint32_t used = std::min<std::uint32_t>(threads.used.load(std::memory_order_relaxed), threads.kMost);
  for (std::uint32_t k = 0; k < used; ++k) {
    // Acquire: what the wait is for was written before.
    const std::uint64_t since = threads.threads[k].since.load(std::memory_order_acquire);
    const auto why = static_cast<boot::ThreadWaits>(threads.threads[k].why.load(std::memory_order_relaxed));
    if (since > now || why == boot::ThreadWaits::kNot || why >= boot::ThreadWaits::kRegion) continue;
    newest = std::max(newest, since);
  }
  return newest;
}

std::string call_of(const boot::PeRecord& record) {
  return calls::name_of(record.call.load(std::memory_order_acquire));
}

calls::Words words_of(const boot::PeRecord& record) {
  return calls::words_of(record.call.load(std::memory_order_acquire));
}

}  // namespace weft::launch::rules
