// Each PE writes to blocks of its own area that nobody else knows of until it tells, and all others read them. The
// program has no other front end, so nothing of it is moved and no heap is there.
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "toy.hpp"

namespace {

constexpr int kRounds = 20;

// What a PE tells of itself, in a block of its own area whose offset all know: it is the second one.
struct Told {
  std::atomic<std::uint64_t> offset;
  std::atomic<std::uint64_t> words;
};

int g_initialised = 42;
int g_zero;

void need(bool good, const char* what) {
  if (!good) {
    std::fprintf(stderr, "PE %d: %s\n", toy::me(), what);
    std::_Exit(1);
  }
}

std::uint64_t value_of(int pe, int round, std::uint64_t k) {
  return (static_cast<std::uint64_t>(pe) << 48) + (static_cast<std::uint64_t>(round) << 32) + k;
}

// Sizes differ from PE to PE and from round to round, and so do the offsets.
void write(Told& told, int round) {
  const std::uint64_t words = static_cast<std::uint64_t>(1 + (toy::me() * 7 + round * 13) % 1000);
  const auto block = toy::allocate(words * sizeof(std::uint64_t));
  need(block.has_value(), "no room in the own area");
  auto* at = reinterpret_cast<std::uint64_t*>(toy::at(toy::me(), *block));
  for (std::uint64_t k = 0; k < words; ++k) {
    at[k] = value_of(toy::me(), round, k);
  }
  told.offset.store(*block);
  told.words.store(words);
}

void read_all(std::uint64_t told_at, int round) {
  for (int pe = 0; pe < toy::n_pes(); ++pe) {
    const Told& told = *reinterpret_cast<Told*>(toy::at(pe, told_at));
    const auto* at = reinterpret_cast<const std::uint64_t*>(toy::at(pe, told.offset.load()));
    for (std::uint64_t k = 0; k < told.words.load(); ++k) {
      need(at[k] == value_of(pe, round, k), "another PE's block is not what it wrote");
    }
  }
}

}  // namespace

int main() {
  need(toy::begin(), "the toy does not begin");
  need(!toy::symmetric_memory(), "there is symmetric memory that nobody asked for");
  need(!toy::in_a_file_of_the_job(&g_initialised) && !toy::in_a_file_of_the_job(&g_zero), "static data was moved");
  need(g_initialised == 42 && g_zero == 0, "static data has changed");
  const auto told_at = toy::allocate(sizeof(Told));
  need(told_at.has_value(), "no room for what is told");
  Told& told = *reinterpret_cast<Told*>(toy::at(toy::me(), *told_at));
  for (int round = 0; round < kRounds; ++round) {
    write(told, round);
    toy::meet();
    read_all(*told_at, round);
    toy::meet();
    // Every third stays, so that the next ones lie elsewhere.
    need((round + toy::me()) % 3 == 0 || toy::release(told.offset.load()), "a block of its own is not known");
  }
  need(!toy::allocate(std::uint64_t{1} << 40), "there is more room than there can be");
  toy::meet();
  if (toy::me() == 0) {
    std::printf("%d PEs have read what the others wrote\n", toy::n_pes());
  }
  toy::end();
  return 0;
}
