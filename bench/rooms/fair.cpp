// Whom a window's lock passes over, and how long it makes wait: fair [SECONDS [PROCESSES...]].
//
// Processes take one lock/readers.hpp again and again, in turn all to change something and half of them to read. The
// lock's own tickets say who came first: those who are inside write theirs into one list, in the order in which they
// went in. So a waiter that a later one has passed is counted exactly, however the system switches between processes;
// only two readers have no order, as both are inside.
//
// Each line: what, processes, takings, those that waited, how many of them were passed, their mean wait, 99.9 % and the
// longest in microseconds, and 99.9 % beside the mean. Then of those that waited longer than four times the mean: how
// many, which part of their waits (in percent) nobody went in for 50 us and more, and how many of them lay down. Who is
// inside is so for less than a microsecond, and so is who is next in going in, as long as it runs: in such a time it
// had no processor, or was being woken. It ends with 1 if anybody was passed, with 2 if a process fails.
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
constexpr std::uint64_t kStopNs = 50'000;  // several switches between processes
constexpr double kLong = 4;                // times the mean: the bar

struct Taking {
  std::uint64_t inside_ns;  // when it went in
  std::uint32_t position;
  std::uint32_t waited_ns;  // one more; 0: was inside at once
  bool changes;
  bool slept;
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

bool g_slept = false;

// As a member of a window does. Whoever goes in later finds the list longer.
void take_again_and_again(Shared& shared, int me, int processes, lock::Mode mode) {
  sync::Patience patience = sync::patience_for(processes, os::usable_cpus());
  patience.lie_down = []() noexcept { g_slept = true; };
  shared.ready.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t ends_ns = 0;
  while ((ends_ns = shared.ends_ns.load(std::memory_order_relaxed)) == 0) {
    (void)::sched_yield();
  }
  for (bool goes_on = true; goes_on;) {
    const std::uint64_t asked_ns = os::now_ns();
    g_slept = false;
    const lock::Turn turn = lock::take_or_queue(shared.lock, mode, me);
    if (!turn.is_inside) {
      lock::await_turn(shared.lock, mode, turn.position, patience, sync::WaitNote());
    }
    const std::uint64_t inside_ns = os::now_ns();
    const std::uint64_t waited_ns = turn.is_inside ? 0 : std::min<std::uint64_t>(inside_ns - asked_ns + 1, UINT32_MAX);
    // Relaxed: the lock orders all but readers, whose order is not looked at.
    const std::uint32_t place = shared.taken.fetch_add(1, std::memory_order_relaxed);
    if (place < kMost) {
      shared.takings[place] = {inside_ns, turn.position, static_cast<std::uint32_t>(waited_ns),
                               mode == lock::Mode::kExclusive, g_slept};
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

struct LongWaits {
  std::uint32_t count = 0;
  std::uint32_t slept = 0;
  double stopped = 0;  // of their time
};

// Of waits longer than that: the part in which nobody went in.
LongWaits look_at_long(const Taking* takings, std::uint32_t n, double longer_than_ns) {
  LongWaits found;
  std::vector<std::uint64_t> entered(n);  // as readers go in in any order: when the last one until then did
  std::vector<std::uint64_t> stops(n);    // so long until then
  for (std::uint32_t k = 1; k < n; ++k) {
    entered[k - 1] = std::max(takings[k - 1].inside_ns, k > 1 ? entered[k - 2] : 0);
    const std::uint64_t gap_ns = takings[k].inside_ns - std::min(takings[k].inside_ns, entered[k - 1]);
    stops[k] = stops[k - 1] + (gap_ns >= kStopNs ? gap_ns : 0);
  }
  entered[n - 1] = std::max(takings[n - 1].inside_ns, n > 1 ? entered[n - 2] : 0);
  double all_ns = 0;
  double stopped_ns = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    if (takings[k].waited_ns <= longer_than_ns) continue;
    const std::uint64_t asked_ns = takings[k].inside_ns - takings[k].waited_ns;
    const auto next = std::upper_bound(entered.begin(), entered.begin() + k, asked_ns);
    const auto first = static_cast<std::size_t>(next - entered.begin());  // who went in first behind its asking
    std::uint64_t within_ns = stops[k] - stops[first];
    // And what is left of the stop in which it asked.
    if (first > 0 && stops[first] != stops[first - 1]) within_ns += entered[first] - asked_ns;
    stopped_ns += static_cast<double>(within_ns);
    all_ns += takings[k].waited_ns;
    ++found.count;
    found.slept += takings[k].slept ? 1 : 0;
  }
  found.stopped = all_ns > 0 ? stopped_ns / all_ns : 0;
  return found;
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
  const LongWaits lasting = look_at_long(shared.takings, n, kLong * mean);
  std::printf("%s %d %u %zu %llu %.3f %.3f %.3f %.2f %u %.0f %u\n", what, processes, n, waits.size(),
              static_cast<unsigned long long>(passed), mean / 1e3, most / 1e3, waits.back() / 1e3, most / mean,
              lasting.count, 100 * lasting.stopped, lasting.slept);
  return passed == 0;
}

// One of them has failed: the others may wait for it, and for ever.
[[noreturn]] void end_all(const std::vector<pid_t>& children, const char* why) {
  for (const pid_t child : children) (void)::kill(child, SIGKILL);
  give_up(why);
}

// Those that have ended are taken from the list. A child that has ended otherwise than it should ends all.
void reap(std::vector<pid_t>& children, int options) {
  int status = 0;
  const pid_t ended = ::waitpid(-1, &status, options);
  if (ended == 0) return;
  children.erase(std::remove(children.begin(), children.end(), ended), children.end());
  if (ended < 0 || status != 0) end_all(children, "a process has failed");
}

bool run(const char* what, int processes, int readers, double seconds) {
  void* const at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) give_up("no memory for the list");
  // Pages that come while it runs would be waits.
  std::memset(at, 0, sizeof(Shared));
  auto& shared = *static_cast<Shared*>(at);
  std::vector<pid_t> children;
  (void)std::fflush(stdout);
  const pid_t parent = ::getpid();
  for (int k = 0; k < processes; ++k) {
    const pid_t child = ::fork();
    if (child < 0) end_all(children, "no more processes");
    if (child == 0) {
      // The parent may have ended before it could be asked for.
      if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) ::_exit(1);
      take_again_and_again(shared, k, processes, k < readers ? lock::Mode::kShared : lock::Mode::kExclusive);
      ::_exit(0);
    }
    children.push_back(child);
  }
  while (shared.ready.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(processes)) {
    reap(children, WNOHANG);
    (void)::sched_yield();
  }
  shared.ends_ns.store(os::now_ns() + static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
  while (!children.empty()) reap(children, 0);
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
  std::printf("what processes takings waited passed mean 99.9%% longest 99.9%%/mean long stopped%% slept\n");
  bool is_fair = true;
  for (const int n : processes) {
    is_fair = bench::run("exclusive", n, 0, seconds) && is_fair;
    is_fair = bench::run("half_shared", n, n / 2, seconds) && is_fair;
  }
  return is_fair ? 0 : 1;
}
