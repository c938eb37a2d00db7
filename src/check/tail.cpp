#include "check/tail.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "check/board.hpp"
#include "check/marks.hpp"
#include "check/tool.hpp"

namespace weft::check {
namespace {

constinit std::mutex g_mutex;
constinit Pages g_closed = {};

}  // namespace

void close_tail() noexcept {
  const weft_support_ranges ranges = memory();
  const auto board = reinterpret_cast<std::uintptr_t>(board_of(me()));
  const std::uintptr_t taken = board == 0 ? ranges.heap_lo : board + sizeof(Board);
  // Behind what blocks are taken from libweft.so may have words of its own.
  const std::uintptr_t end = ranges.heap_lo + interpose::library().heap_bytes();
  const std::scoped_lock lock(g_mutex);
  g_closed = end > taken ? close_pages(taken, end - taken) : Pages{};
}

bool open_tail(std::uintptr_t up_to) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (up_to <= g_closed.lo) {
    return false;
  }
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t rest =
      up_to >= g_closed.hi ? g_closed.hi : std::min((up_to + page - 1) & ~(page - 1), g_closed.hi);
  open_pages({g_closed.lo, rest});
  g_closed.lo = rest;
  return true;
}

bool in_tail(std::uintptr_t address) noexcept {
  const std::scoped_lock lock(g_mutex);
  return address >= g_closed.lo && address < g_closed.hi;
}

}  // namespace weft::check
