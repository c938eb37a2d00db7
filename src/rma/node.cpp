#include "rma/node.hpp"

#include <atomic>
#include <cinttypes>

#include "base/report.hpp"
#include "heap/fault.hpp"
#include "heap/shortage.hpp"

namespace weft::rma {
namespace {

constinit boot::PeRecord g_before_any_job{};
constinit std::atomic<const Caller*> g_caller = nullptr;
constinit std::atomic<ToolSite> g_tool_site = nullptr;

[[noreturn, gnu::cold]] void not_symmetric(std::uintptr_t at, std::size_t bytes, const char* argument) noexcept {
  const heap::Window& window = g_node.window;
  if (at == 0 && heap::shortage() != nullptr) {
    base::fail(current_call(), "%s is NULL, with %zu bytes to transfer; %s", argument, bytes, heap::shortage());
  }
  if (at == 0) {
    base::fail(
        current_call(),
        "%s is NULL, with %zu bytes to transfer; did shmem_malloc find no room? (SHMEM_SYMMETRIC_SIZE is %zu MiB)",
        argument, bytes, window.heap().bytes() >> 20);
  }
  if (window.private_statics().holds(at)) {
    base::fail(current_call(),
               "%s, 0x%" PRIxPTR
               ", is static data, which is not symmetric, because %d threads ran already when libweft.so was loaded "
               "(dlopen); use memory from shmem_malloc, or load the library before threads start: link the program "
               "with it or set LD_PRELOAD",
               argument, at, window.threads_at_claim());
  }
  if (window.heap().holds(at) && !window.blocks().holds(at)) {
    base::fail(current_call(),
               "%s, 0x%" PRIxPTR ", lies %zu bytes past the end of the symmetric heap; check the number of elements",
               argument, at, at - window.blocks().hi);
  }
  if (window.symmetric(at, 1)) {
    const heap::Range part = window.heap().holds(at) ? window.blocks() : window.statics();
    base::fail(current_call(),
               "%s, %zu bytes at 0x%" PRIxPTR ", runs %zu bytes past the end of the %s; check the number of elements",
               argument, bytes, at, bytes - (part.hi - at),
               window.heap().holds(at) ? "symmetric heap" : "program's static data");
  }
  base::fail(current_call(), "%s, 0x%" PRIxPTR ", is not symmetric: it is %s; use memory from %s", argument, at,
             heap::describe_address(window, at),
             caller_name() == nullptr ? "shmem_malloc or a global or static variable of the program"
                                      : "SHPALLOC or a variable that is in COMMON or has SAVE");
}

struct Program {
  std::uint64_t identity = 0;
  std::uint64_t static_bytes = 0;
};

// Relaxed: written before main, published by the barrier of shmem_init.
Program program_of(int pe) noexcept {
  const int number = g_node.here(pe);
  if (number < 0) {
    const boot::PeerCard& card = *boot::peer_card(g_node.job, pe);
    return {card.program, card.static_bytes};
  }
  const boot::PeRecord& record = *boot::pe_record(g_node.job, number);
  return {record.program.load(std::memory_order_relaxed), record.static_bytes.load(std::memory_order_relaxed)};
}

}  // namespace

int Node::here_slowly(int pe) const noexcept {
  if (job == nullptr || job->n_nodes == 1) {
    return -1;
  }
  const boot::PeerCard& card = *boot::peer_card(job, pe);
  return card.node == job->node ? static_cast<int>(card.local) : -1;
}

int Node::pe_of(int number) const noexcept {
  for (int pe = 0; job != nullptr && pe < n_pes; ++pe) {
    if (here(pe) == number) {
      return pe;
    }
  }
  return number;
}

constinit Node g_node{.own_record = &g_before_any_job};
constinit thread_local Entered t_entered;

const char* current_call() noexcept {
  const char* caller = caller_name();
  return caller != nullptr || t_entered.call == api::Call::kNone ? caller : api::call_name(t_entered.call);
}

// Relaxed, here and below: set while libraries are loaded, before any thread; what it points to is part of one of them.
void set_caller(const Caller* caller) noexcept { g_caller.store(caller, std::memory_order_relaxed); }

const char* caller_name() noexcept {
  const Caller* caller = g_caller.load(std::memory_order_relaxed);
  return caller == nullptr ? nullptr : caller->name();
}

const void* caller_site() noexcept {
  const Caller* caller = g_caller.load(std::memory_order_relaxed);
  return caller == nullptr || caller->name() == nullptr ? nullptr : caller->site();
}

void set_tool_site(ToolSite tell) noexcept { g_tool_site.store(tell, std::memory_order_relaxed); }

bool has_tool_site() noexcept { return g_tool_site.load(std::memory_order_relaxed) != nullptr; }

const void* site_in_program() noexcept {
  if (const void* site = caller_site(); site != nullptr) {
    return site;
  }
  const ToolSite tool = g_tool_site.load(std::memory_order_relaxed);
  return tool == nullptr ? t_entered.site : tool();
}

void fail_not_ready() noexcept {
  const auto phase = static_cast<boot::Phase>(g_node.record().phase.load(std::memory_order_relaxed));
  base::fail(current_call(), phase == boot::Phase::kFinalised
                                 ? "called after shmem_finalize; call shmem_init again first"
                                 : "called before shmem_init; call shmem_init first");
}

void fail_no_such_pe(int pe) noexcept {
  base::fail(current_call(), "PE %d does not exist; the PEs of this job are 0 to %d", pe, g_node.n_pes - 1);
}

void need_symmetric(const void* address, std::size_t bytes, const char* argument) noexcept {
  need_ready();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!g_node.window.symmetric(at, bytes)) [[unlikely]] {
    not_symmetric(at, bytes, argument);
  }
}

void need_buffer(const void* address, std::size_t bytes, const char* argument) noexcept {
  if (address == nullptr) [[unlikely]] {
    const char* why = heap::shortage();
    base::fail(current_call(), "%s is NULL, with %zu bytes to transfer%s%s", argument, bytes,
               why == nullptr ? "" : "; ", why == nullptr ? "" : why);
  }
}

bool same_program(int pe) noexcept {
  const Program own = program_of(g_node.me);
  const Program other = program_of(pe);
  return other.identity == own.identity && other.static_bytes == own.static_bytes;
}

bool keeps_statics(int pe) noexcept {
  const Program other = program_of(pe);
  return other.identity == program_of(g_node.me).identity && other.static_bytes == 0;
}

void* peer(const void* address, std::size_t bytes, int pe, const char* argument) noexcept {
  need_symmetric(address, bytes, argument);
  need_pe(pe);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const int number = g_node.here(pe);
  if (number >= 0) [[likely]] {
    return reinterpret_cast<void*>(g_node.window.peer(at, number));
  }
  need_ready();  // a forked child that used the network would take its parent's words from it
  if (!g_node.window.heap().holds(at) && !same_program(pe)) [[unlikely]] {
    if (keeps_statics(pe)) {
      base::fail(
          current_call(),
          "%s, 0x%" PRIxPTR
          ", is in the program's static data, and PE %d had several threads when it loaded libweft.so, so its own "
          "is not symmetric; use memory from shmem_malloc",
          argument, at, pe);
    }
    base::fail(current_call(),
               "%s, 0x%" PRIxPTR
               ", is in the program's static data, and PE %d runs another program; use memory from "
               "shmem_malloc",
               argument, at, pe);
  }
  return nullptr;
}

std::size_t bytes_of(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) [[unlikely]] {
    base::fail(current_call(), "%zu elements of %zu bytes are more than any memory; is the count negative?", count,
               size);
  }
  return bytes;
}

void wake_sleepers() noexcept {
  if (shared_head(g_node.job).value_sleepers.load(std::memory_order_relaxed) == 0) [[likely]] {
    return;
  }
  for (int number = 0; number < g_node.n_local; ++number) {
    sync::ring(g_node.value_bell(number));
  }
}

}  // namespace weft::rma
