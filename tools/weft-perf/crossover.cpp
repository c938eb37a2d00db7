#include "crossover.hpp"

#include <algorithm>
#include <cmath>

namespace weft::perf {

std::size_t crossover(const std::vector<Sample>& samples) {
  // Relative losses, by logarithms: twice the time is as bad for a small put as for a large one. All are direct at
  // first.
  double loss = 0;
  for (const Sample& sample : samples) loss += std::log(sample.direct / std::min(sample.copied, sample.direct));
  double least = loss;
  std::size_t best = 0;
  for (const Sample& sample : samples) {
    loss += std::log(sample.copied / sample.direct);
    if (loss < least) {
      least = loss;
      best = sample.bytes;
    }
  }
  return best;
}

}  // namespace weft::perf
