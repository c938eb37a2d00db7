// Each copy routine by size, and the copy that has found out which of them is the fastest.
#include "copy/copy.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "rooms.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t kPage = 4096;
// More copies than any size needs to find out, behind those that go by a guess.
constexpr std::size_t kFindingOut = 500;

using Pages = std::unique_ptr<char, decltype(&std::free)>;
Pages pages(std::size_t bytes, int filled_with) {
  Pages made(static_cast<char*>(std::aligned_alloc(kPage, bytes)), &std::free);
  std::memset(made.get(), filled_with, bytes);
  return made;
}

// The target begins so many bytes behind where the source does in its page.
void copies(benchmark::State& state, copy::Routine routine, bool finds_out, std::size_t ahead) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const Pages from = pages(bytes, 1);
  const Pages target = pages(bytes + kPage, 0);
  char* const to = target.get() + ahead;
  for (std::size_t k = 0;
       finds_out && k < copy::kByGuess / bytes + kFindingOut && copy::chosen(bytes) == copy::Choice::kAuto; ++k) {
    routine(to, from.get(), bytes);
  }
  for (auto _ : state) {
    routine(to, from.get(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  if (std::memcmp(to, from.get(), bytes) != 0) fail(state, "the copy is not like its source");
}

void add(const std::string& name, copy::Routine routine, bool finds_out) {
  if (routine == nullptr) return;
  for (const std::size_t ahead : {0, 1, 16, 64}) {
    benchmark::RegisterBenchmark(("copy/" + name + "/ahead" + std::to_string(ahead)).c_str(), copies, routine,
                                 finds_out, ahead)
        ->RangeMultiplier(8)
        ->Range(static_cast<std::int64_t>(copy::kSmall), std::int64_t{16} << 20);
  }
}

}  // namespace

void add_copies() {
#define WEFT_COPY(name, text) add(#name, copy::routine(copy::Choice::k_##name), false);
#include "api/algorithms.def"
  add("auto", copy::copy, true);
}

}  // namespace weft::bench
