// The pretended network as a leaf, for this suite: its manner is in the environment.
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>

#include "pretend/network.hpp"

namespace {

// Before the processes part, so that they share it.
weft::pretend::Wire* const g_wire = weft::pretend::make_wire(2);

std::uint64_t seed() noexcept {
  const char* text = std::getenv("WEFT_PRETEND_SEED");
  std::uint64_t seed = 1;
  if (text != nullptr) {
    (void)std::from_chars(text, text + std::strlen(text), seed);
  }
  return seed;
}

}  // namespace

extern "C" weft::transport::Transport* weft_transport(const weft::transport::Setup& setup, char* /*why*/,
                                                      std::size_t /*room*/) {
  // Lives as long as the process.
  return new weft::pretend::Network(*g_wire, setup, {.seed = seed(), .keeps_order = seed() % 2 == 1});
}
