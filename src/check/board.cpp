#include "check/board.hpp"

#include "check/tool.hpp"
#include "interpose/real.hpp"

namespace weft::check {
namespace {

// Set while one thread is in shmem_init or shmem_finalize.
std::atomic<Board*> g_own = nullptr;

}  // namespace

void set_up_board() noexcept {
  auto* board = static_cast<Board*>(WEFT_REAL(calloc)(1, sizeof(Board)));  // zero on all PEs when it returns
  g_own.store(board, std::memory_order_relaxed);
}

void forget_board() noexcept { g_own.store(nullptr, std::memory_order_relaxed); }

Board* board_of(int pe) noexcept {
  Board* own = g_own.load(std::memory_order_relaxed);
  return own == nullptr ? nullptr : static_cast<Board*>(WEFT_REAL(ptr)(own, pe));
}

bool first_to_report() noexcept {
  if (Board* board = board_of(0); board != nullptr) {
    return board->told.exchange(1, std::memory_order_relaxed) == 0;
  }
  // PE 0 is on another node. A swap from there and one from here may miss each other: then two tell.
  Board* own = g_own.load(std::memory_order_relaxed);
  return own == nullptr || WEFT_REAL(uint32_atomic_swap)(reinterpret_cast<std::uint32_t*>(&own->told), 1, 0) == 0;
}

}  // namespace weft::check
