// This PE on its node: what every operation needs to know.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "boot/job.hpp"
#include "job/shared_area.hpp"
#include "memory/adopted.hpp"
#include "memory/own_areas.hpp"
#include "memory/space.hpp"
#include "sync/barrier.hpp"
#include "sync/waiter.hpp"
#include "transport/transport.hpp"

namespace weft::job {

struct Node {
  boot::JobHeader* job = nullptr;
  // Never null: before a job is known it is a private one. Atomic because a routine that may be called at any time
  // (shmem_query_initialized) notes itself in it while another thread is in shmem_init.
  std::atomic<boot::PeRecord*> own_record = nullptr;
  int me = 0;
  int n_pes = 1;  // of the job
  // Number on this node, and how many PEs there are: what the control file and the windows are indexed by.
  int local = 0;
  int n_local = 1;
  // The PEs of this node are so many from this one on, in the order of their numbers; none where they are not.
  int first_here = 0;
  unsigned run_here = 1;
  transport::Transport* network = nullptr;  // null in a job of one node
  bool amo_by_network = false;              // all atomic operations, also those on this node
  bool crowded = false;                     // more PEs than processors
  bool sets_in_order = false;  // all PEs make their calls on active sets one after another: no PE has several threads
  sync::BarrierKind barrier_kind = sync::BarrierKind::kDissemination;
  sync::Patience patience{};
  memory::Space space{};
  memory::OwnAreas own{};  // mapped between the start and the stop of a front end that wants some
  memory::Adopted adopted{};

  /// Number on this node of a PE that exists; -1: it is on another one.
  int here(int pe) const noexcept {
    const unsigned distance = static_cast<unsigned>(pe - first_here);
    return distance < run_here ? static_cast<int>(distance) : here_slowly(pe);
  }
  int here_slowly(int pe) const noexcept;
  /// A place in a PE's own area, for the network (Needs::own_lent).
  transport::Remote own_remote(int pe, std::uint64_t offset) const noexcept {
    const boot::PeerCard& card = *boot::peer_card(job, pe);
    return {pe, {card.keys[boot::PeerCard::kOwn], card.bases[boot::PeerCard::kOwn]}, offset};
  }
  /// The PE of this node with that number.
  int pe_of(int number) const noexcept;
  sync::Doorbell& value_bell(int number_here) const noexcept { return shared_pe(job, number_here).value_bell; }
  // Acquire: the record was made ready before its address was published. No instruction on x86.
  boot::PeRecord& record() const noexcept { return *own_record.load(std::memory_order_acquire); }
};

// Inline, here and below: every routine of a front end begins with these, and as calls they were half its time.
extern constinit Node g_node;

/// Numbers the routines of all front ends: which front end in the highest byte, and which of its routines below; 0:
/// none.
using CallNumber = std::uint32_t;
inline constexpr CallNumber kNoCall = 0;
inline constexpr int kInterfaceShift = 24;
/// The number of an interface that is none of its routines: of a PE that has not called one yet.
constexpr CallNumber none_of(boot::Interface interface) {
  return static_cast<CallNumber>(interface) << kInterfaceShift;
}

/// The routine this thread is in, and what it returns to in the program.
struct Entered {
  CallNumber call = kNoCall;
  const void* site = nullptr;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Entered t_entered;

inline Node& node() noexcept { return g_node; }

/// For messages; the launcher reads the PE's last one from its record.
// Always: in a file of a thousand routines the compiler thinks that it is not worth it.
[[gnu::always_inline]] inline void enter(CallNumber call, const void* site) noexcept {
  t_entered = {call, site};
  boot::PeRecord& record = g_node.record();
  // Relaxed: only read when the PE has stopped or waits, and for people.
  record.call.store(call, std::memory_order_relaxed);
  record.site.store(reinterpret_cast<std::uintptr_t>(site), std::memory_order_relaxed);
}
/// For people: the name under which the program called the routine this thread is in, nullptr outside of any.
const char* current_call() noexcept;

/// An interface over this one tells its own names: the routine of it that this thread is in, nullptr for none, and what
/// that routine returns to in the program.
struct Caller {
  const char* (*name)() = nullptr;
  const void* (*site)() = nullptr;
};
/// nullptr: the program calls this interface itself again.
void set_caller(const Caller* caller) noexcept;
/// nullptr for a program that calls this interface itself.
const char* caller_name() noexcept;
const void* caller_site() noexcept;

/// A tool that stands between the program and this library tells what the call this thread is in returns to.
using ToolSite = const void* (*)();
void set_tool_site(ToolSite tell) noexcept;
/// A tool has told, as each does with the first call that comes to it.
bool has_tool_site() noexcept;

/// Where in the program the routine was called that this thread is in, behind all interfaces and tools.
const void* site_in_program() noexcept;

/// pe, which exists, runs the executable that this PE runs: only then are its static data laid out like ours.
bool same_program(int pe) noexcept;

/// pe runs it and keeps its static data to itself (memory::Plan::threads).
bool keeps_statics(int pe) noexcept;

/// Where this processor reaches the copy that a PE, which exists, has of something symmetric. Null: it is on another
/// node, and only the network does.
inline void* here(const void* symmetric, int pe) noexcept {
  const int number = g_node.here(pe);
  return number < 0 ? nullptr
                    : reinterpret_cast<void*>(g_node.space.peer(reinterpret_cast<std::uintptr_t>(symmetric), number));
}

/// Rings at every PE of this node that waits for a value.
[[gnu::cold]] void ring_all() noexcept;

/// Wakes every PE that sleeps in a wait for a value. The caller has made its stores visible with a full fence. In line,
/// as one that wakes nobody is part of every barrier and order.
inline void wake_sleepers() noexcept {
  if (shared_head(g_node.job).value_sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    ring_all();
  }
}

}  // namespace weft::job
