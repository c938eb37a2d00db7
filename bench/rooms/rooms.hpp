// Micro-benchmarks of single rooms: what the files here share.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>

namespace weft::bench {

/// A wrong result. The figure is left out, and the run ends with an error.
void fail(benchmark::State& state, const char* what);

/// A node of two PEs whose memory is mapped here. This process is PE 0; nobody runs as PE 1. Made once.
void open_node();
/// The first byte of this PE's heap, of kHeap.
inline constexpr std::size_t kHeap = std::size_t{32} << 20;
char* heap();

/// The routines this processor has, which are known only when it runs.
void add_copies();

}  // namespace weft::bench
