// Binomial trees over the members, numbered from the root on.
#pragma once

#include <bit>

#include "coll/party.hpp"

namespace weft::coll {

/// A member joins in the round in which its parent, the member with its highest bit cleared, reaches it; from the next
/// round on it has children of its own, one a round.
class BinomialTree {
 public:
  BinomialTree(const Party& party, int root) noexcept
      : root_(root), size_(party.size()), place_(static_cast<unsigned>((party.me() - root + size_) % size_)) {}

  bool is_root() const noexcept { return place_ == 0; }
  /// The root's 0: it has the data before the first round.
  int round_joined() const noexcept { return is_root() ? 0 : static_cast<int>(std::bit_width(place_)); }
  int parent() const noexcept { return member(place_ & ~std::bit_floor(place_)); }

  /// Calls child(member, round) for the children, in rounds after the one in which this member joined.
  template <class Child>
  void for_children(Child&& child) const {
    for (int round = round_joined(); (1U << round) < static_cast<unsigned>(size_); ++round) {
      const unsigned place = place_ + (1U << round);
      if (place < static_cast<unsigned>(size_)) {
        child(member(place), round + 1);
      }
    }
  }

 private:
  int member(unsigned place) const noexcept { return (static_cast<int>(place) + root_) % size_; }

  int root_;
  int size_;
  unsigned place_;
};

}  // namespace weft::coll
