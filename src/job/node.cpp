#include "job/node.hpp"

#include <array>
#include <atomic>

#include "job/front_end.hpp"

namespace weft::job {
namespace {

constinit boot::PeRecord g_before_any_job{};
constinit std::array<std::atomic<const FrontEnd*>, boot::kInterfaces> g_front_ends{};
constinit std::atomic<const Caller*> g_caller = nullptr;
constinit std::atomic<ToolSite> g_tool_site = nullptr;

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

// Release: what the front end tells of itself is there for who finds it.
void add(const FrontEnd& front_end) noexcept {
  g_front_ends[static_cast<std::size_t>(front_end.interface)].store(&front_end, std::memory_order_release);
}

const FrontEnd* front_end(boot::Interface interface) noexcept {
  return g_front_ends[static_cast<std::size_t>(interface)].load(std::memory_order_acquire);
}

const char* current_call() noexcept {
  const char* caller = caller_name();
  const CallNumber call = t_entered.call;
  if (caller != nullptr || call == kNoCall) {
    return caller;
  }
  return front_end(static_cast<boot::Interface>(call >> kInterfaceShift))->name_of(call);
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

bool same_program(int pe) noexcept {
  const Program own = program_of(g_node.me);
  const Program other = program_of(pe);
  return other.identity == own.identity && other.static_bytes == own.static_bytes;
}

bool keeps_statics(int pe) noexcept {
  const Program other = program_of(pe);
  return other.identity == program_of(g_node.me).identity && other.static_bytes == 0;
}

void ring_all() noexcept {
  for (int number = 0; number < g_node.n_local; ++number) {
    sync::ring(g_node.value_bell(number));
  }
}

}  // namespace weft::job
