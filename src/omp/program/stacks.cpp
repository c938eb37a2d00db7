#include "omp/program/stacks.hpp"

#include <link.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <new>

#include "dsm/windows.hpp"
#include "os/mapping.hpp"

namespace weft::omp::program {
namespace {

// Stays, as a stack is another thread's when its own has ended.
struct Closed {
  std::uintptr_t at;
  std::size_t bytes;  // of the stack above it
  const Closed* next;
};
constinit std::atomic<const Closed*> g_closed = nullptr;

constexpr std::size_t kForHandlers = 65536;

int look_at_stack(dl_phdr_info* is, std::size_t /*size*/, void* /*unused*/) {
  for (int k = 0; k < is->dlpi_phnum; ++k) {
    if (is->dlpi_phdr[k].p_type == PT_GNU_STACK) {
      return (is->dlpi_phdr[k].p_flags & PF_X) != 0 ? 1 : 0;
    }
  }
  return 0;
}

}  // namespace

bool has_code_on_stacks() noexcept {
  static const bool has = ::dl_iterate_phdr(look_at_stack, nullptr) != 0;
  return has;
}

void* make_stack(std::size_t bytes) noexcept {
  // What a fault needs lies in it, and what the kernel writes by itself: so none may happen there.
  const std::size_t whole = os::round_up(bytes, os::kPage);
  void* const memory = dsm::allocate_pinned(whole + os::kPage);
  if (memory == nullptr) {
    return nullptr;
  }
  // Only this process's threads run there, so only here is the end of it closed.
  (void)::mprotect(memory, os::kPage, PROT_NONE);
  auto* const closed = new (std::nothrow)
      Closed{reinterpret_cast<std::uintptr_t>(memory), whole, g_closed.load(std::memory_order_relaxed)};
  // Release: pairs with stack_above().
  while (closed != nullptr &&
         !g_closed.compare_exchange_weak(closed->next, closed, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return static_cast<char*>(memory) + os::kPage;
}

std::size_t stack_above(std::uintptr_t at) noexcept {
  // Acquire: what the pages and stacks are.
  for (const Closed* each = g_closed.load(std::memory_order_acquire); each != nullptr; each = each->next) {
    if (at - each->at < os::kPage) {
      return each->bytes;
    }
  }
  return 0;
}

void* handle_signals_elsewhere(void* kept) noexcept {
  if (kept == nullptr) {
    void* const made = ::mmap(nullptr, kForHandlers, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) {
      return nullptr;
    }
    kept = made;
  }
  stack_t room{};
  room.ss_sp = kept;
  room.ss_size = kForHandlers;
  (void)::sigaltstack(&room, nullptr);
  return kept;
}

}  // namespace weft::omp::program
