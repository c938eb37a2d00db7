// Whom a window's lock passes over, and how long it makes wait: fair [SECONDS [PROCESSES...]].
//
// Processes take one lock/readers.hpp again and again, in turn all to change something and half of them to read. The
// lock's own tickets say who came first: those who are inside write theirs into one list, in the order in which they
// went in. So a waiter that a later one has passed is counted exactly, however the system switches between processes;
// only two readers have no order, as both are inside.
//
// Each line: what, processes, takings, those that waited, how many of them were passed, their mean wait, 99.9 % and the
// longest in microseconds, and 99.9 % beside the mean. It ends with 1 if anybody was passed.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "lock/readers.hpp"
#include "os/clock.hpp"
#include "os/cpus.hpp"

namespace weft::bench {
namespace {

constexpr std::uint32_t kMost = std::uint32_t{1} << 22;  // takings in one run: positions do not go round
constexpr int kMostProcesses = 64;

struct Taking {
  std::uint32_t position;
  std::uint32_t waited_ns;  // one more; 0: was inside at once
  bool changes;
};

struct Shared {
  alignas(64) lock::SharedLock lock;
  alignas(64) std::atomic<std::uint32_t> ready;
  std::atomic<std::uint64_t> ends_ns;  // 0: has not begun
  alignas(64) std::atomic<std::uint32_t> taken;
  Taking takings[kMost];
};

[[noreturn]] void give_up(const char* why) {
  (void)std::fprintf(stderr, "fair: %s\n", why);
  std::exit(2);
}

// As a member of a window does. Whoever goes in later finds the list longer.
void take_again_and_again(Shared& shared, int me, int processes, lock::Mode mode) {
  const sync::Patience patience = sync::patience_for(processes, os::usable_cpus());
  shared.ready.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t ends_ns = 0;
  while ((ends_ns = shared.ends_ns.load(std::memory_order_relaxed)) == 0) {
    (void)::sched_yield();
  }
  for (bool goes_on = true; goes_on;) {
    const std::uint64_t asked_ns = os::now_ns();
    const lock::Turn turn = lock::take_or_queue(shared.lock, mode, me);
    std::uint64_t waited_ns = 0;
    if (!turn.is_inside) {
      lock::await_turn(shared.lock, mode, turn.position, me, patience, sync::WaitNote());
      waited_ns = std::min<std::uint64_t>(os::now_ns() - asked_ns + 1, UINT32_MAX);
    }
    // Relaxed: the lock orders all but readers, whose order is not looked at.
    const std::uint32_t place = shared.taken.fetch_add(1, std::memory_order_relaxed);
    if (place < kMost) {
      shared.takings[place] = {turn.position, static_cast<std::uint32_t>(waited_ns), mode == lock::Mode::kExclusive};
    }
    goes_on = place < kMost && asked_ns < ends_ns;
    lock::leave(shared.lock, mode);
  }
}

// Of those who waited: somebody who came later went in before. Of two readers none is before the other.
std::uint64_t count_passed(const Taking* takings, std::uint32_t n) {
  std::int64_t latest = -1;
  std::int64_t latest_writer = -1;
  std::uint64_t passed = 0;
  for (const Taking* each = takings; each < takings + n; ++each) {
    if (each->waited_ns != 0 && (each->changes ? latest : latest_writer) > each->position) ++passed;
    latest = std::max<std::int64_t>(latest, each->position);
    if (each->changes) latest_writer = std::max<std::int64_t>(latest_writer, each->position);
  }
  return passed;
}

bool report(const char* what, int processes, const Shared& shared) {
  const std::uint32_t n = std::min(shared.taken.load(std::memory_order_relaxed), kMost);
  std::vector<std::uint32_t> waits;
  for (std::uint32_t k = 0; k < n; ++k) {
    if (shared.takings[k].waited_ns != 0) waits.push_back(shared.takings[k].waited_ns - 1);
  }
  if (waits.empty()) {
    std::printf("%s %d %u 0 0\n", what, processes, n);
    return true;
  }
  std::sort(waits.begin(), waits.end());
  const double mean = std::accumulate(waits.begin(), waits.end(), 0.0) / static_cast<double>(waits.size());
  const double most = waits[(waits.size() - 1) * 999 / 1000];
  const std::uint64_t passed = count_passed(shared.takings, n);
  std::printf("%s %d %u %zu %llu %.3f %.3f %.3f %.2f\n", what, processes, n, waits.size(),
              static_cast<unsigned long long>(passed), mean / 1e3, most / 1e3, waits.back() / 1e3, most / mean);
  return passed == 0;
}

bool run(const char* what, int processes, int readers, double seconds) {
  void* const at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) give_up("no memory for the list");
  // Pages that come while it runs would be waits.
  std::memset(at, 0, sizeof(Shared));
  auto& shared = *static_cast<Shared*>(at);
  std::vector<pid_t> children;
  (void)std::fflush(stdout);
  for (int k = 0; k < processes; ++k) {
    const pid_t child = ::fork();
    if (child < 0) give_up("no more processes");
    if (child == 0) {
      take_again_and_again(shared, k, processes, k < readers ? lock::Mode::kShared : lock::Mode::kExclusive);
      ::_exit(0);
    }
    children.push_back(child);
  }
  while (shared.ready.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(processes)) (void)::sched_yield();
  shared.ends_ns.store(os::now_ns() + static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
  bool is_well = true;
  for (const pid_t child : children) {
    int status = -1;
    is_well = ::waitpid(child, &status, 0) == child && status == 0 && is_well;
  }
  if (!is_well) give_up("a process has failed");
  const bool is_fair = report(what, processes, shared);
  (void)::munmap(at, sizeof(Shared));
  return is_fair;
}

template <class Number>
Number number(const char* text, Number least, Number most) {
  Number value{};
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    give_up("usage: fair [SECONDS, up to 60 [PROCESSES, 2 to 64...]]");
  }
  return value;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  namespace bench = weft::bench;
  const double seconds = argc > 1 ? bench::number(argv[1], 0.001, 60.0) : 1;
  std::vector<int> processes;
  for (int k = 2; k < argc; ++k) processes.push_back(bench::number(argv[k], 2, bench::kMostProcesses));
  if (processes.empty()) processes = {2, 4, 8};
  std::printf("what processes takings waited passed mean 99.9%% longest 99.9%%/mean\n");
  bool is_fair = true;
  for (const int n : processes) {
    is_fair = bench::run("exclusive", n, 0, seconds) && is_fair;
    is_fair = bench::run("half_shared", n, n / 2, seconds) && is_fair;
  }
  return is_fair ? 0 : 1;
}
