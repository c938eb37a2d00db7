#include "base/no_memory.hpp"

#include <atomic>

#include "base/lines.hpp"

namespace weft::base {
namespace {

constinit std::atomic<NoMemory> g_no_memory = nullptr;

}  // namespace

// Relaxed, as below: a function of a library that stays loaded, and nothing goes with it.
void set_no_memory(NoMemory how) noexcept {
  if (how != nullptr) {
    g_no_memory.store(how, std::memory_order_relaxed);
  }
}

void no_memory(std::size_t bytes) noexcept {
  if (const NoMemory how = g_no_memory.load(std::memory_order_relaxed); how != nullptr) {
    how(bytes);
  }
  fail(nullptr,
       "the system has no more memory for this process, which needs %zu bytes; start fewer PEs, or raise its limit "
       "(ulimit -v, ulimit -d, or the container's)",
       bytes);
}

}  // namespace weft::base
