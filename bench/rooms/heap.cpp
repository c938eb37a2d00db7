// The book of the symmetric heap: what shmem_malloc and shmem_free cost before their barrier.
#include <cstdint>
#include <random>
#include <vector>

#include "memory/allocator.hpp"
#include "rooms.hpp"

namespace weft::bench {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{16} << 30;  // only a number: a book has no memory

/// As many live blocks as the benchmark's argument, from a cache line to 64 KiB, each power of two as often.
class Live {
 public:
  explicit Live(std::size_t blocks) {
    for (std::size_t k = 0; k < blocks; ++k) blocks_.push_back(book_.allocate(size()).value_or(0));
  }
  std::uint64_t& any() { return blocks_[random_() % blocks_.size()]; }
  std::uint64_t size() { return (std::uint64_t{64} << random_() % 11) - random_() % 64; }
  memory::Allocator& book() { return book_; }

 private:
  memory::Allocator book_{kBytes};
  std::vector<std::uint64_t> blocks_;
  std::minstd_rand random_;  // the same in every run
};

void one_block(benchmark::State& state) {
  memory::Allocator book(kBytes);
  for (auto _ : state) {
    const auto block = book.allocate(static_cast<std::uint64_t>(state.range(0)));
    if (!block || !book.release(*block)) {
      fail(state, "an empty book did not give or take back a block");
      break;
    }
  }
}
BENCHMARK(one_block)->Name("heap/one_block")->Arg(64)->Arg(1 << 20);

void any_block(benchmark::State& state) {
  Live live(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    std::uint64_t& block = live.any();
    const bool released = live.book().release(block);
    const auto next = live.book().allocate(live.size());
    if (!released || !next) {
      fail(state, "a book with room did not give or take back a block");
      break;
    }
    block = *next;
  }
  if (live.book().blocks() != static_cast<std::size_t>(state.range(0))) fail(state, "blocks were lost");
}
BENCHMARK(any_block)->Name("heap/free_and_malloc")->RangeMultiplier(16)->Range(16, 1 << 16);

void aligned_block(benchmark::State& state) {
  Live live(1024);
  for (auto _ : state) {
    const auto block = live.book().allocate(64, static_cast<std::uint64_t>(state.range(0)));
    if (!block || *block % static_cast<std::uint64_t>(state.range(0)) != 0 || !live.book().release(*block)) {
      fail(state, "a book with room did not give or take back an aligned block");
      break;
    }
  }
}
BENCHMARK(aligned_block)->Name("heap/align")->Arg(4096)->Arg(2 << 20);

void look_up(benchmark::State& state) {
  Live live(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(live.book().block_start(live.any() + 8));
}
BENCHMARK(look_up)->Name("heap/block_start")->RangeMultiplier(16)->Range(16, 1 << 16);

}  // namespace
}  // namespace weft::bench
