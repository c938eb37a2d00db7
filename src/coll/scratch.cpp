#include "coll/scratch.hpp"

#include <atomic>

namespace weft::coll {
namespace {

constinit std::atomic<int> g_shortages = 0;

}  // namespace

// Relaxed, here and below: a number, and nothing goes with it.
int Room::shortages() noexcept { return g_shortages.load(std::memory_order_relaxed); }

void* Room::beside(std::size_t bytes) noexcept {
  g_shortages.fetch_add(1, std::memory_order_relaxed);
  // As what containers need, this ends the process where it is not there.
  return ::operator new (bytes, std::align_val_t{kLine});
}

}  // namespace weft::coll
