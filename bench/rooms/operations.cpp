// Translation of addresses, transfers and atomic operations on another PE, as the library makes them when the headers'
// inline bodies do not.
#include <cstdint>
#include <cstring>
#include <vector>

#include "rma/order.hpp"
#include "rooms.hpp"
#include "shmem/atomics.hpp"
#include "shmem/transfer.hpp"

namespace weft::bench {
namespace {

namespace checked = shmem::checked;

constexpr int kPeer = 1;
rma::Target peer() { return {kPeer}; }

std::uint64_t* word() { return reinterpret_cast<std::uint64_t*>(heap()); }

void translate(benchmark::State& state) {
  open_node();
  for (auto _ : state) benchmark::DoNotOptimize(shmem::peer(heap(), 8, kPeer, "dest"));
  if (shmem::peer(heap(), 8, kPeer, "dest") == heap()) fail(state, "the peer's copy is ours");
}
BENCHMARK(translate)->Name("rma/translate");

void put(benchmark::State& state) {
  open_node();
  const std::vector<char> from(static_cast<std::size_t>(state.range(0)), 3);
  for (auto _ : state) {
    checked::put(heap(), from.data(), from.size(), peer());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  if (std::memcmp(shmem::peer(heap(), from.size(), kPeer, "dest"), from.data(), from.size()) != 0) {
    fail(state, "what was put is not there");
  }
}
BENCHMARK(put)->Name("rma/put")->RangeMultiplier(16)->Range(8, 1 << 20);

void get(benchmark::State& state) {
  open_node();
  std::vector<char> to(static_cast<std::size_t>(state.range(0)));
  std::memset(shmem::peer(heap(), to.size(), kPeer, "source"), 5, to.size());
  for (auto _ : state) {
    checked::get(to.data(), heap(), to.size(), peer());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  if (to != std::vector<char>(to.size(), 5)) fail(state, "what was got is not what is there");
}
BENCHMARK(get)->Name("rma/get")->RangeMultiplier(16)->Range(8, 1 << 20);

void put_strided(benchmark::State& state) {
  open_node();
  constexpr std::size_t kElements = 1024;
  const std::vector<std::uint64_t> from(kElements, 7);
  const checked::Strides strides{.dest = state.range(0), .source = 1};
  for (auto _ : state) {
    checked::strided<checked::Way::kPut>(word(), from.data(), strides, kElements, peer());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
  if (checked::get_one(word() + (kElements - 1) * static_cast<std::size_t>(state.range(0)), peer()) != 7) {
    fail(state, "the last element was not put");
  }
}
BENCHMARK(put_strided)->Name("rma/put_strided")->Arg(1)->Arg(8)->Arg(512);

void fetch_add(benchmark::State& state) {
  open_node();
  checked::updating<rma::Op::kSet>(word(), peer(), std::uint64_t{0});
  for (auto _ : state) benchmark::DoNotOptimize(checked::fetching<rma::Op::kAdd>(word(), peer(), std::uint64_t{1}));
  if (checked::fetching<rma::Op::kFetch>(word(), peer()) != static_cast<std::uint64_t>(state.iterations()))
    fail(state, "a sum is wrong");
}
BENCHMARK(fetch_add)->Name("rma/fetch_add");

void compare_swap(benchmark::State& state) {
  open_node();
  checked::updating<rma::Op::kSet>(word(), peer(), std::uint64_t{0});
  std::uint64_t value = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(checked::fetching<rma::Op::kCompareSwap>(word(), peer(), value + 1, value));
    ++value;
  }
  if (checked::fetching<rma::Op::kFetch>(word(), peer()) != value) fail(state, "a swap was not made");
}
BENCHMARK(compare_swap)->Name("rma/compare_swap");

void put_and_quiet(benchmark::State& state) {
  open_node();
  for (auto _ : state) {
    checked::put_one(word(), std::uint64_t{9}, peer());
    rma::quiet();
  }
  if (checked::get_one(word(), peer()) != 9) fail(state, "what was put is not there");
}
BENCHMARK(put_and_quiet)->Name("rma/put_and_quiet");

}  // namespace
}  // namespace weft::bench
