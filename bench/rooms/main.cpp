// The rooms one by one, without a job: where time goes when a figure of bench.py changes.   rooms [--benchmark_...]
#include <atomic>

#include "rooms.hpp"

namespace weft::bench {
namespace {

std::atomic<bool> g_failed = false;  // any thread of a benchmark may say so

}  // namespace

void fail(benchmark::State& state, const char* what) {
  g_failed = true;
  state.SkipWithError(what);
}

}  // namespace weft::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  weft::bench::add_copies();
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran > 0 && !weft::bench::g_failed ? 0 : 1;
}
