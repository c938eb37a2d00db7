// Up to which size a put is better copied, found from measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::perf {

/// How long a put of so many bytes takes in a stream of them, both ways.
struct Sample {
  std::size_t bytes;
  double copied;
  double direct;
};

/// The size up to which to copy, one of those measured, or 0 for none. Of all such sizes it is the one with which the
/// samples together lose least against the better way of each: so that one sample that was disturbed decides nothing.
std::size_t crossover(const std::vector<Sample>& samples);

}  // namespace weft::perf
