// Loops whose iterations go to the processes at which their data is at home, where processes have pages (omp/far): all
// know the homes that somebody has said, so all divide the loop in the same way and nobody asks.
#include <algorithm>
#include <limits>

#include "omp/image/image.hpp"
#include "omp/loops/loops.hpp"

namespace weft::omp {
namespace {

// Iterations from one on that are of one process.
struct Run {
  int home;
  std::uint64_t iterations;
};

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

Run run_at(const Affinity& affinity, std::uint64_t iteration) noexcept {
  const std::uintptr_t at = affinity.at + iteration * affinity.stride;
  const image::Home home = image::home_of(at);
  const auto stride = static_cast<std::int64_t>(affinity.stride);
  if (stride == 0) {
    return {home.process, kAll};
  }
  const std::uint64_t room = stride > 0 ? home.to - at - 1 : at - home.from;
  const std::uint64_t step = stride > 0 ? affinity.stride : ~affinity.stride + 1;
  return {home.process, room / step + 1};
}

// Of a home that has no threads in a small team: whoever of the team its number says.
int process_for(int home, int threads) noexcept {
  if (first_thread(home, threads) < first_thread(home + 1, threads)) {
    return home;
  }
  const int thread = home % threads;
  int process = 0;
  while (first_thread(process + 1, threads) <= thread) {
    ++process;
  }
  return process;
}

std::uint64_t count_own(const Work& work, int threads, int process) noexcept {
  std::uint64_t own = 0;
  for (std::uint64_t k = 0; k < work.count;) {
    const Run run = run_at(work.affinity, k);
    const std::uint64_t some = std::min(run.iterations, work.count - k);
    own += process_for(run.home, threads) == process ? some : 0;
    k += some;
  }
  return own;
}

}  // namespace

bool has_homes(const Affinity& affinity, std::uint64_t count) noexcept {
  if (count == 0) {
    return false;
  }
  const image::Home first = image::home_of(affinity.at);
  const image::Home last = image::home_of(affinity.at + (count - 1) * affinity.stride);
  return first.process >= 0 && last.process >= 0 && first.array == last.array;
}

bool next_by_homes(Position& at, const Work& work, std::uint64_t& from, std::uint64_t& to) noexcept {
  const Team& team = *at.team;
  const int process = image::process();
  if (at.trip == 0) {
    at.trip = 1;
    at.iteration = 0;
    at.seen = 0;
    at.all = count_own(work, team.size, process);
  }
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  block(at.all, static_cast<std::uint64_t>(team.here), static_cast<std::uint64_t>(at.number - team.first), first, last);
  while (at.iteration < work.count && at.seen < last) {
    const Run run = run_at(work.affinity, at.iteration);
    const std::uint64_t some = std::min(run.iterations, work.count - at.iteration);
    if (process_for(run.home, team.size) != process) {
      at.iteration += some;
      continue;
    }
    const std::uint64_t begin = std::max(at.seen, first);
    const std::uint64_t end = std::min(at.seen + some, last);
    const std::uint64_t here = at.iteration;
    const std::uint64_t before = at.seen;
    at.iteration += some;
    at.seen += some;
    if (begin < end) {
      from = here + (begin - before);
      to = here + (end - before);
      return true;
    }
  }
  return false;
}

}  // namespace weft::omp
