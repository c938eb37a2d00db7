// How long the collectives take to choose their algorithm: a part of each call that no figure of a whole call shows.
// The algorithms need PEs that run and are measured by bench.py.
#include <cstddef>

#include "coll/choose.hpp"
#include "rooms.hpp"

namespace weft::bench {
namespace {

template <auto choose>
void choice(benchmark::State& state) {
  auto bytes = static_cast<std::size_t>(state.range(0));
  int size = 8;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes);  // else it is made once, before the loop
    benchmark::DoNotOptimize(size);
    benchmark::DoNotOptimize(choose(bytes, size));
  }
}
BENCHMARK(choice<coll::broadcast_algorithm>)->Name("coll/choose_broadcast")->Arg(8)->Arg(1 << 20);
BENCHMARK(choice<coll::reduce_algorithm>)->Name("coll/choose_reduce")->Arg(8)->Arg(1 << 20);
BENCHMARK(choice<coll::scan_algorithm>)->Name("coll/choose_scan")->Arg(8)->Arg(1 << 20);

}  // namespace
}  // namespace weft::bench
