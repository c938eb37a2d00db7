// MPI_Dims_create: the dimensions of a grid, as alike as can be.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mpi/errors.hpp"
#include "mpi/topologies.hpp"

namespace weft::mpi {
namespace {

// The largest and the smallest differ as little as can be; of ways that are alike in that the one whose smallest is the
// largest, then the one whose last but one is, and so on.
class Search {
 public:
  explicit Search(int n) {
    for (std::int64_t d = 1; d * d <= n; ++d) {
      if (n % d == 0) {
        divisors_.push_back(static_cast<int>(d));
        if (d * d != n) {
          divisors_.push_back(static_cast<int>(n / d));
        }
      }
    }
    std::sort(divisors_.begin(), divisors_.end());
  }

  /// Empty: there are too many ways.
  std::vector<int> find(int n, int parts) {
    extend(n, parts, n);
    return steps_ > kMostSteps ? std::vector<int>{} : best_;
  }

 private:
  // A few milliseconds. No number of ranks below a million takes a tenth of these with 6 dimensions.
  static constexpr int kMostSteps = 1'000'000;

  // The largest number whose power is at most n: the smallest of so many parts is not larger.
  static int root(int n, int parts) noexcept {
    int below = static_cast<int>(std::pow(n, 1.0 / parts));
    const auto power_is_above = [&](std::int64_t of) {
      std::int64_t power = 1;
      for (int k = 0; k < parts && power <= n; ++k) {
        power *= of;
      }
      return power > n;
    };
    while (below > 1 && power_is_above(below)) {
      --below;
    }
    while (!power_is_above(std::int64_t{below} + 1)) {
      ++below;
    }
    return below;
  }

  bool is_better() const {
    if (best_.empty()) {
      return true;
    }
    const int spread = found_.front() - found_.back();
    const int best = best_.front() - best_.back();
    return spread != best ? spread < best
                          : std::lexicographical_compare(best_.rbegin(), best_.rend(), found_.rbegin(), found_.rend());
  }

  // Each at most the one before it.
  void extend(int n, int parts, int most) {
    if (++steps_ > kMostSteps) {
      return;
    }
    const int least = root(n, parts);
    if (!best_.empty() && !found_.empty() && found_.front() - least > best_.front() - best_.back()) {
      return;
    }
    if (parts == 1) {
      if (n <= most) {
        found_.push_back(n);
        if (is_better()) {
          best_ = found_;
        }
        found_.pop_back();
      }
      return;
    }
    for (auto at = std::lower_bound(divisors_.begin(), divisors_.end(), least); at != divisors_.end(); ++at) {
      const int divisor = *at;
      if (divisor > most || (!best_.empty() && found_.empty() && divisor - least > best_.front() - best_.back())) {
        break;
      }
      if (n % divisor == 0) {
        found_.push_back(divisor);
        extend(n / divisor, parts - 1, divisor);
        found_.pop_back();
      }
    }
  }

  std::vector<int> divisors_;
  std::vector<int> found_;
  std::vector<int> best_;
  int steps_ = 0;
};

// Each prime factor, the largest first, goes to what is smallest.
std::vector<int> nearly_balanced(int n, int parts) {
  std::vector<int> primes;
  for (int p = 2; std::int64_t{p} * p <= n; ++p) {
    for (; n % p == 0; n /= p) {
      primes.push_back(p);
    }
  }
  if (n > 1) {
    primes.push_back(n);
  }
  std::vector<int> found(static_cast<std::size_t>(parts), 1);
  for (std::size_t k = primes.size(); k-- > 0;) {
    *std::min_element(found.begin(), found.end()) *= primes[k];
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

}  // namespace

std::vector<int> balanced(int n, int parts) {
  std::vector<int> found = Search(n).find(n, parts);
  return found.empty() ? nearly_balanced(n, parts) : found;
}

int dims_create(int nnodes, int ndims, int* dims) noexcept {
  if (nnodes <= 0) {
    return raise(nullptr, MPI_ERR_DIMS, "nnodes: %d is not positive", nnodes);
  }
  if (ndims < 0) {
    return raise(nullptr, MPI_ERR_DIMS, "ndims: %d is negative", ndims);
  }
  if (dims == nullptr && ndims > 0) {
    return raise(nullptr, MPI_ERR_ARG, "dims: is null");
  }
  int left = nnodes;
  int open = 0;
  for (int k = 0; k < ndims; ++k) {
    if (dims[k] < 0) {
      return raise(nullptr, MPI_ERR_DIMS, "dims: its dimension %d is %d", k, dims[k]);
    }
    if (dims[k] == 0) {
      ++open;
    } else if (left % dims[k] != 0) {
      return raise(nullptr, MPI_ERR_DIMS, "nnodes: %d cannot be divided by the dimensions that are given", nnodes);
    } else {
      left /= dims[k];
    }
  }
  if (open == 0) {
    return left == 1 ? MPI_SUCCESS
                     : raise(nullptr, MPI_ERR_DIMS,
                             "nnodes: %d is not the product of the dimensions, all of which are given", nnodes);
  }
  const std::vector<int> found = balanced(left, open);
  auto next = found.begin();
  for (int k = 0; k < ndims; ++k) {
    if (dims[k] == 0) {
      dims[k] = *next++;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
