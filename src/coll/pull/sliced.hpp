// Reductions and scans of which each member combines a share, through the stages, a slice of each share at a time
// (record 0148). Of members that are all in one domain.
#pragma once

#include <cstddef>

#include "coll/forms.hpp"

namespace weft::coll {

/// Whether a call goes so; the same on all members.
bool goes_in_slices(const Party& party, const Reduce& call, Reached reached) noexcept;
bool scan_goes_in_slices(const Party& party, const Reduce& call, Reached reached) noexcept;
bool scatter_goes_in_slices(const Party& party, const Reduce& call, const std::size_t* counts,
                            Reached reached) noexcept;
/// What a scan, or a reduction to shares of lengths of their own, has to reserve.
std::size_t need_for_slices(const Party& party, const Reduce& call) noexcept;

/// As reduce_to(), scan_over() and reduce_scatter() say.
void reduce_in_slices(Party& party, const Reduce& call, int root) noexcept;
void scan_in_slices(Party& party, const Scan& call) noexcept;
void scatter_in_slices(Party& party, const Reduce& call, const std::size_t* counts) noexcept;

}  // namespace weft::coll
