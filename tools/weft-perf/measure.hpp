// What one PE measures against another one, while all others wait in a barrier.
#pragma once

#include <cstddef>
#include <vector>

#include "crossover.hpp"
#include "transport/transport.hpp"

namespace weft::perf {

/// Buffers for it: the same symmetric one on all PEs, and a private one.
struct Buffers {
  std::byte* there;
  std::byte* here;
  std::size_t bytes;  // of each
};

/// How many operations of a stream are begun before they are waited for.
inline constexpr int kWindow = 16;

/// Medians, in microseconds; and bytes per microsecond (MB/s).
struct Row {
  std::size_t bytes;
  double put;  // until it is in the other's memory
  double get;
  double put_stream;
  double get_stream;
};
Row measure_row(const Buffers& buffers, int pe, std::size_t bytes);

struct Atomics {
  double fetch_add;
  double compare_swap;
  double add;  // until it is done there
};
Atomics measure_atomics(long* there, int pe);

/// A put in a stream of blocking ones, both ways, for each size that is not sent with the request.
std::vector<Sample> measure_samples(transport::Transport& network, const Buffers& buffers, int pe);

}  // namespace weft::perf
