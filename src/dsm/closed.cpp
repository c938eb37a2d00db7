#include "dsm/closed.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/lines.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/homes.hpp"
#include "dsm/pages.hpp"
#include "job/node.hpp"
#include "memory/fault.hpp"

namespace weft::dsm {
namespace {

// Of this PE: how many returns it has seen. Two threads may be at it.
constinit std::mutex g_returns;
constinit std::uint64_t g_seen = 0;
constinit std::atomic<bool> g_memory_closes = false;

// How often running a thread has come to one address while nothing was closed. Other threads may race with it a little.
struct Last {
  std::uintptr_t at = 0;
  std::uint64_t closings = 0;
  int times = 0;
};
constinit std::atomic<std::uint64_t> g_closings = 0;
[[gnu::tls_model("initial-exec")]] constinit thread_local Last t_last;
constexpr int kMostTimes = 1000;

void* address(std::uint32_t page) noexcept {
  return reinterpret_cast<void*>(g.base + std::uint64_t{page} * kPageBytes);
}

void open_all() noexcept { (void)::mprotect(reinterpret_cast<void*>(g.base), g.bytes, PROT_READ | PROT_WRITE); }

// The kernel bounds how many pieces of different access a process may have, and here is nobody who could take access
// away from what is in use.
void close_no_more() noexcept {
  // seq_cst: who closes asks behind its call, so that either it sees this or its call came before the one here.
  if (g_memory_closes.exchange(false, std::memory_order_seq_cst)) {
    base::say(job::current_call(),
              "safe mode: there are too many blocks of shared memory to close what is not in use; accesses to that are "
              "not told from here on");
  }
  open_all();
}

bool has_protected(std::uint32_t first, std::uint32_t pages, int protection) noexcept {
  return ::mprotect(address(first), std::size_t{pages} * kPageBytes, protection) == 0;
}

// False: nothing is closed any more.
bool close_pages(std::uint32_t first, std::uint32_t pages) noexcept {
  if (pages > 0 && !has_protected(first, pages, PROT_NONE)) {
    close_no_more();
    return false;
  }
  // Another thread may have opened all just before this one closed some. seq_cst: see close_no_more().
  if (!g_memory_closes.load(std::memory_order_seq_cst)) {
    open_all();
    return false;
  }
  return true;
}

// What has been given again meanwhile stays as it is.
void close_in_memory(const Run& run) noexcept {
  g_closings.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t first = run.first;
  for (std::uint32_t page = run.first; page < run.first + run.pages; ++page) {
    if (g.arena->in_use(page)) {
      if (!close_pages(first, page - first)) {
        return;
      }
      first = page + 1;
    }
  }
  (void)close_pages(first, run.first + run.pages - first);
}

// Behind "nothing is in use: ".
void tell_why(std::uint64_t offset, char* text, std::size_t size) noexcept {
  const Arena::Lost lost = g.arena != nullptr ? g.arena->lost_at(offset) : lost_elsewhere(offset);
  // The first page is our own (start.cpp).
  if (lost.begin == 0 || lost.begin >= g.bytes || lost.begin + lost.bytes > g.bytes ||
      (lost.pe < 0 && lost.begin > offset)) {
    (void)std::snprintf(text, size, "no block was ever there; check the pointer");
    return;
  }
  const std::uintptr_t begin = g.base + lost.begin;
  const std::uint64_t end = lost.begin + lost.bytes;
  if (lost.pe < 0) {
    (void)std::snprintf(text, size,
                        "it is %" PRIu64 " bytes past the end of the block of %" PRIu64 " bytes at 0x%" PRIxPTR
                        "; check the number of elements",
                        offset >= end ? offset - end : 0, lost.bytes, begin);
  } else if (offset >= end) {
    (void)std::snprintf(text, size,
                        "it is %" PRIu64 " bytes past the end of the block of %" PRIu64 " bytes at 0x%" PRIxPTR
                        ", which PE %d gave back; check the number of elements",
                        offset - end, lost.bytes, begin, lost.pe);
  } else {
    (void)std::snprintf(text, size,
                        "PE %d gave back the block of %" PRIu64 " bytes at 0x%" PRIxPTR
                        " that was there; give back what nobody uses any more",
                        lost.pe, lost.bytes, begin);
  }
}

}  // namespace

base::Result<void> close_memory() noexcept {
  if (::mprotect(reinterpret_cast<void*>(g.base), g.bytes, PROT_NONE) != 0) {
    return base::Error::make("cannot protect the shared memory: %s", std::strerror(errno));
  }
  g_memory_closes.store(true, std::memory_order_relaxed);
  return {};
}

bool open_memory(std::uintptr_t at, std::uintptr_t instruction) noexcept {
  if (!holds(at, 1)) {
    return false;
  }
  const auto page = static_cast<std::uint32_t>((at - g.base) / kPageBytes);
  if (!g.arena->in_use(page)) {
    // Relaxed: who opens all of it has no order with a thread that ran into what was closed until then.
    if (!g_memory_closes.load(std::memory_order_relaxed)) {
      open_all();  // that one may not be done, and this thread would come here again and again
      return true;
    }
    fail_unused(at, instruction);
  }
  // It is open, and faults: a page that cannot be had, as memory is used up, is for others to explain.
  // Relaxed: only a number.
  if (const std::uint64_t closings = g_closings.load(std::memory_order_relaxed);
      at != t_last.at || closings != t_last.closings) {
    t_last = {at, closings, 0};
  }
  if (++t_last.times > kMostTimes) {
    return false;
  }
  const Run run = g.arena->block_around(page);
  if (!has_protected(run.first, run.pages, PROT_READ | PROT_WRITE)) {
    close_no_more();
  }
  return true;
}

void open_after_fork() noexcept {
  g_memory_closes.store(false, std::memory_order_relaxed);
  open_all();
}

void close_returned() noexcept {
  const std::scoped_lock lock(g_returns);
  while (true) {
    const Returned next = g.arena != nullptr ? returned_here(g_seen) : returned_elsewhere(g_seen);
    if (next.number == g_seen) {
      return;
    }
    g_seen = next.number;
    // What another process says.
    Run run = next.run;
    run.first = std::min(run.first, g.pages);
    run.pages = std::min(run.pages, g.pages - run.first);
    if (g.way == Way::kPages) {
      g_pages->close_unused(run.first, run.pages);
    } else if (g_memory_closes.load(std::memory_order_relaxed)) {
      close_in_memory(run);
    }
  }
}

void forget_returned() noexcept {
  g_seen = 0;
  g_memory_closes.store(false, std::memory_order_relaxed);
}

Returned returned_here(std::uint64_t seen) noexcept {
  const std::uint64_t now = g.arena->returns();
  if (seen >= now) {
    return {seen, {}};
  }
  const Run run = g.arena->returned(seen);
  // All of them: then nothing else is to be learned.
  return {run.pages == g.pages ? now : seen + 1, run};
}

bool is_used(std::uint32_t page) noexcept {
  return g.arena != nullptr ? g.arena->in_use(page) : ask_homes(page, 1, false).pages != 0;
}

void fail_unused(std::uintptr_t at, std::uintptr_t instruction) noexcept {
  char why[256];
  tell_why(offset_in_range(at, 1), why, sizeof why);
  memory::explain_next(instruction);
  base::fail(nullptr, "an access to shared memory at 0x%" PRIxPTR " where nothing is in use: %s", at, why);
}

void need_used(const char* what, const void* at) noexcept {
  const std::uint64_t offset = offset_in_range(at, 1);
  if (!g.safe || is_used(static_cast<std::uint32_t>(offset / kPageBytes))) [[likely]] {
    return;
  }
  char why[256];
  tell_why(offset, why, sizeof why);
  base::fail(job::current_call(), "%s: nothing is in use at %p: %s", what, at, why);
}

}  // namespace weft::dsm
