#include "pmi/grouping.hpp"

#include <algorithm>

namespace weft::pmi {

Grouping::Grouping(Place* places, int n) noexcept : places_(places), n_(n) { std::fill_n(places, n, Place{}); }

int Grouping::next_first() noexcept {
  while (first_ < n_ && places_[first_].node >= 0) {
    ++first_;
  }
  return first_;
}

void Grouping::begin_node() noexcept {
  ++nodes_;
  last_ = next_first() - 1;
  size_ = 0;
}

base::Result<void> Grouping::add(const boot::Run& run) noexcept {
  const bool fits = run.is_within(n_) && (size_ == 0 ? run.first == first_ : run.first > last_);
  for (std::int32_t k = 0, pe = run.first; fits && k < run.count; ++k, pe += run.step) {
    if (places_[pe].node >= 0) {
      return base::Error::make(
          "the PEs do not agree on who shares a machine: PE %d is said to be with PE %d and with others; may some of "
          "them not look at others' files in /proc?",
          pe, first_);
    }
    places_[pe] = {nodes_ - 1, size_++};
    last_ = pe;
  }
  return fits ? base::Result<void>()
              : base::Error::make(
                    "what PE %d says of the PEs on its machine is damaged: %d from PE %d on; do all PEs run the same "
                    "Weft?",
                    first_, run.count, run.first);
}

}  // namespace weft::pmi
