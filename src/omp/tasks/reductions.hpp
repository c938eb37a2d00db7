// Reductions by tasks: each thread has a copy of the variables of a group, which the compiler describes in an array of
// words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp {

/// Gives the descriptions memory for so many threads, or that of `first`, another thread's of the same construct, and
/// puts them before `outer`.
void register_reductions(std::uintptr_t* data, std::uintptr_t* outer, const std::uintptr_t* first,
                         unsigned threads) noexcept;
/// Gives them the memory of another thread's of the same construct, which may be another process's.
void adopt_reductions(std::uintptr_t* data, const std::uintptr_t* first) noexcept;
void unregister_reductions(std::uintptr_t* data) noexcept;
/// Replaces addresses of originals or of anybody's copies by this thread's; the originals of the first `n_original`
/// stand behind the n.
void remap_reductions(Thread& self, std::size_t n, std::size_t n_original, void** addresses) noexcept;

}  // namespace weft::omp
