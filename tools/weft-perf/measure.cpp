#include "measure.hpp"

#include <shmem.h>

#include <algorithm>
#include <chrono>
#include <functional>

namespace weft::perf {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// Often enough for a median, and not for much longer than kEnough where each takes long. The first ones connect and
// touch memory, and do not count.
double time_of(const std::function<void()>& once) {
  constexpr int kFirst = 3;
  constexpr int kLeast = 11;
  constexpr int kMost = 2000;
  constexpr double kEnough = 50e3;
  for (int k = 0; k < kFirst; ++k) once();
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  while (static_cast<int>(times.size()) < kLeast ||
         (static_cast<int>(times.size()) < kMost && since(begin) < kEnough)) {
    const Clock::time_point start = Clock::now();
    once();
    times.push_back(since(start));
  }
  return median(times);
}

double put_in_stream(const Buffers& buffers, int pe, std::size_t bytes) {
  return time_of([&] {
           for (int k = 0; k < kWindow; ++k) shmem_putmem(buffers.there, buffers.here, bytes, pe);
           shmem_quiet();
         }) /
         kWindow;
}

}  // namespace

Row measure_row(const Buffers& buffers, int pe, std::size_t bytes) {
  Row row{};
  row.bytes = bytes;
  row.put = time_of([&] {
    shmem_putmem(buffers.there, buffers.here, bytes, pe);
    shmem_quiet();
  });
  row.get = time_of([&] { shmem_getmem(buffers.here, buffers.there, bytes, pe); });
  const double all = static_cast<double>(bytes) * kWindow;
  row.put_stream = all / time_of([&] {
                     for (int k = 0; k < kWindow; ++k) shmem_putmem_nbi(buffers.there, buffers.here, bytes, pe);
                     shmem_quiet();
                   });
  row.get_stream = all / time_of([&] {
                     for (int k = 0; k < kWindow; ++k) shmem_getmem_nbi(buffers.here, buffers.there, bytes, pe);
                     shmem_quiet();
                   });
  return row;
}

Atomics measure_atomics(long* there, int pe) {
  Atomics atomics{};
  atomics.fetch_add = time_of([&] { (void)shmem_long_atomic_fetch_add(there, 1, pe); });
  atomics.compare_swap = time_of([&] { (void)shmem_long_atomic_compare_swap(there, -1, 0, pe); });
  atomics.add = time_of([&] {
    shmem_long_atomic_add(there, 1, pe);
    shmem_quiet();
  });
  return atomics;
}

// In rounds of all sizes, one way and then the other, so that what disturbs the machine for a while disturbs both.
std::vector<Sample> measure_samples(transport::Transport& network, const Buffers& buffers, int pe) {
  constexpr int kRounds = 3;
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = 64; bytes <= std::min(buffers.bytes, transport::kMostCopyBytes); bytes *= 2) {
    if (bytes > network.inject_bytes()) sizes.push_back(bytes);
  }
  const std::size_t before = network.copy_bytes();
  std::vector<std::vector<double>> copied(sizes.size());
  std::vector<std::vector<double>> direct(sizes.size());
  bool changed = true;
  for (int round = 0; round < kRounds; ++round) {
    for (const bool copies : {true, false}) {
      changed = changed && network.copy_up_to(copies ? transport::kMostCopyBytes : 0);
      for (std::size_t k = 0; changed && k < sizes.size(); ++k) {
        (copies ? copied : direct)[k].push_back(put_in_stream(buffers, pe, sizes[k]));
      }
    }
  }
  if (!network.copy_up_to(before) || !changed) return {};
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < sizes.size(); ++k) samples.push_back({sizes[k], median(copied[k]), median(direct[k])});
  return samples;
}

}  // namespace weft::perf
