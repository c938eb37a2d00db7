#include "job/start.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/lines.hpp"
#include "boot/cards.hpp"
#include "boot/node_files.hpp"
#include "job/agent.hpp"
#include "job/attach.hpp"
#include "job/claim.hpp"
#include "job/network.hpp"
#include "job/node.hpp"
#include "job/serving.hpp"
#include "memory/numa.hpp"
#include "os/memory_info.hpp"
#include "pmi/session.hpp"
#include "progress/work.hpp"
#include "sync/beside.hpp"
#include "sync/crowding.hpp"

namespace weft::job {
namespace {

// Front ends that have started and not stopped. Changed under the mutex; atomic for running().
struct Users {
  std::atomic<int> all = 0;
  int of_memory = 0;
  int of_own_area = 0;
};

constexpr const char* kNetworkIsOpen =
    "its library was loaded after another one had opened the network, which reaches nothing more; link the program "
    "with it";

constinit std::mutex g_mutex;
constinit Users g_users{};

base::Result<void> map_memory(const base::Options& options) noexcept {
  Node& node = job::node();
  if (node.space.mapped()) {
    return {};
  }
  if (const auto opened = reopen_files(); !opened) {
    return opened;
  }
  if (const auto mapped = node.space.map_heap(); !mapped) {
    return mapped;
  }
  const bool reserved = node.job->pages == static_cast<std::uint32_t>(base::HugePages::kHugetlb);
  if (const auto placed = memory::place(node.space.heap(), options.placement(), reserved); !placed) {
    return placed;
  }
  return node.space.map_peers();
}

// What a front end beside this one needs too, and would be too late with (start.hpp).
Needs needs_of_all(const FrontEnd& first) noexcept {
  Needs needs = first.needs;
  each_front_end([&](const FrontEnd& other) {
    needs.heap = needs.heap || other.needs.symmetric_memory();
    needs.network = needs.network || other.needs.network || other.needs.own_lent;
    needs.own_lent = needs.own_lent || other.needs.own_lent;
  });
  return needs;
}

// So that what comes later finds its share.
struct OwnBytes {
  std::uint64_t least = 0;
  std::uint64_t wanted = 0;
};
OwnBytes own_bytes_of_all() noexcept {
  OwnBytes bytes;
  each_front_end([&](const FrontEnd& other) {
    bytes.least += other.needs.own_bytes;
    bytes.wanted += other.needs.own_more;
  });
  constexpr std::uint64_t kUnit = memory::OwnAreas::kUnit;
  bytes.least = (bytes.least + kUnit - 1) / kUnit * kUnit;
  bytes.wanted = bytes.least + bytes.wanted / kUnit * kUnit;
  return bytes;
}

base::Result<void> map_own_area_of(std::uint64_t bytes) noexcept {
  Node& node = job::node();
  return node.own.map({.n_pes = node.n_local,
                       .me = node.local,
                       .fd = g_process.attached.data_fd,
                       .offset = static_cast<std::uint64_t>(node.n_local) * node.job->slot_bytes,
                       .bytes = bytes,
                       .in_core = own_bytes_of_all().least,
                       .advise_huge = node.job->pages == static_cast<std::uint32_t>(base::HugePages::kThp)});
}

// As much of what is wanted as this process has addresses for: all of them would leave a program under `ulimit -v` none
// to go on with. The areas of all PEs of the node are mapped, and untouched they cost nothing but their addresses.
std::uint64_t own_bytes_that_fit(const OwnBytes& bytes) noexcept {
  constexpr std::uint64_t kMostOfAll = std::uint64_t{8} << 40;
  const auto pes = static_cast<std::uint64_t>(node().n_local);
  std::uint64_t wanted = std::min(bytes.wanted, boot::kMostOwnBytes);
  const std::uint64_t all = std::min(os::address_limit() / 4, kMostOfAll);
  wanted = std::min(wanted, all / pes / memory::OwnAreas::kUnit * memory::OwnAreas::kUnit);
  return std::max(wanted, bytes.least);
}

base::Result<void> map_own_area(const base::Options& options) noexcept {
  Node& node = job::node();
  const OwnBytes bytes = own_bytes_of_all();
  if (node.own.mapped()) {
    return bytes.least <= node.own.bytes()
               ? base::Result<void>()
               : base::Error::make(
                     "its library was loaded after another one had made this PE's own area, which has no room for "
                     "both; link the program with it");
  }
  if (bytes.least > boot::kMostOwnBytes) {
    return base::Error::make("areas of %llu MiB of each PE's own are wanted; there is room for %llu",
                             static_cast<unsigned long long>(bytes.least >> 20),
                             static_cast<unsigned long long>(boot::kMostOwnBytes >> 20));
  }
  if (const auto opened = reopen_files(); !opened) {
    return opened;
  }
  const std::uint64_t fits = own_bytes_that_fit(bytes);
  std::uint64_t agreed = 0;
  // Relaxed: the number is all that is exchanged.
  if (node.job->own_bytes.compare_exchange_strong(agreed, fits, std::memory_order_relaxed)) {
    agreed = fits;
  }
  // A number from shared memory: what does not fit the file is nobody's.
  if (agreed < bytes.least || agreed > boot::kMostOwnBytes || agreed % memory::OwnAreas::kUnit != 0) {
    return base::Error::make(
        "the PEs of this node have areas of %llu MiB, and this one needs %llu; do all run the same program?",
        static_cast<unsigned long long>(agreed >> 20), static_cast<unsigned long long>(bytes.least >> 20));
  }
  if (const auto mapped = map_own_area_of(agreed); !mapped) {
    return mapped;
  }
  node.adopted.begin(node.own, node.n_local > 1 ? g_process.attached.data_fd : -1,
                     static_cast<memory::Adopts>(options.adopt.choice));
  // Of the pool of reserved pages it has none: the area is far larger than what is touched of it.
  return memory::place(node.own.own(), options.placement(), false);
}

base::Result<void> join_network(const base::Options& options, const FrontEnd& front_end) noexcept {
  // Another front end may have opened it: then what it reaches is lent, and others know the keys.
  const bool there = node().network != nullptr;
  const auto network = there ? base::Result<transport::Transport*>(node().network) : find_network(options);
  if (!network) {
    return network.error();
  }
  if (front_end.opening != nullptr) {
    front_end.opening(*network);
  }
  return there ? base::Result<void>()
               : open_network(options, pmi::joined() ? pmi::exchange_cards : boot::exchange_cards);
}

base::Result<void> join(const base::Options& options) noexcept {
  Node& node = job::node();
  base::set_debug(options.debug.on);
  if (node.job == nullptr) {
    if (const auto attached = attach_now(options); !attached) {
      return attached;
    }
  }
  node.patience =
      sync::patience_for(node.n_local, static_cast<int>(node.job->cpus), options.spin.value, options.sleep_after.value);
  node.patience.idle = progress::do_idle_work;
  sync::Crowding::g_suspect = sync::Crowding::suspect_of(node.local);
  sync::g_looks_elsewhere = options.spin.value < 0 && node.job->n_nodes == 1;
  watch_others();
  return {};
}

base::Result<void> add_needs(const FrontEnd& front_end, const base::Options& options) noexcept {
  Node& node = job::node();
  const bool several = node.job->n_nodes > 1;
  const bool first = g_users.all.load(std::memory_order_relaxed) == 0;
  const Needs needs = several && first ? needs_of_all(front_end) : front_end.needs;
  if (needs.symmetric_memory()) {
    if (node.network != nullptr && !node.space.mapped()) {
      return base::Error::make(kNetworkIsOpen);
    }
    if (const auto claimed = need_space(front_end); !claimed) {
      return claimed;
    }
    if (const auto mapped = map_memory(options); !mapped) {
      return mapped;
    }
  }
  if (front_end.needs.own_bytes > 0 || needs.own_lent) {
    if (const auto mapped = map_own_area(options); !mapped) {
      return mapped;
    }
  }
  if (front_end.needs.own_lent && node.network != nullptr &&
      boot::peer_card(node.job, node.me)->keys[boot::PeerCard::kOwn] == 0) {
    return base::Error::make(kNetworkIsOpen);
  }
  if (needs.network || front_end.needs.own_lent) {
    if (const auto joined = join_network(options, front_end); !joined) {
      return joined;
    }
  }
  return front_end.needs.agent ? need_agent() : base::Result<void>();
}

// What the network may reach stays until it is closed.
void forget_unused() noexcept {
  Node& node = job::node();
  if (node.network != nullptr) {
    return;
  }
  if (g_users.of_memory == 0 && node.space.mapped()) {
    node.space.unmap_all();
  }
  if (g_users.of_own_area == 0) {
    node.adopted.end();
    node.own.unmap();
  }
}

}  // namespace

void mark(boot::Phase phase) noexcept {
  if (serves() && phase < boot::Phase::kServing) {
    return;  // its front end begins and ends as in any PE
  }
  // Release: the launcher that sees the phase sees what led to it.
  node().record().phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

base::Result<void> keep_agent() noexcept {
  const std::scoped_lock lock(g_mutex);
  return need_agent();
}

void let_agent_go() noexcept {
  const std::scoped_lock lock(g_mutex);
  release_agent();
}

bool running() noexcept {
  // Relaxed: nothing else is learnt from it.
  return g_users.all.load(std::memory_order_relaxed) > 0;
}

base::Result<void> start(const FrontEnd& front_end, const base::Options& options) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_process.attach_failed) {
    return g_process.attach_error;
  }
  if (!running()) {
    if (const auto joined = join(options); !joined) {
      return joined;
    }
  }
  if (const auto runs_main = must_not_serve(front_end); !runs_main) {
    return runs_main;
  }
  if (const auto added = add_needs(front_end, options); !added) {
    forget_unused();
    return added;
  }
  g_users.all.fetch_add(1, std::memory_order_relaxed);
  g_users.of_memory += front_end.needs.symmetric_memory() ? 1 : 0;
  g_users.of_own_area += front_end.needs.own_bytes > 0 ? 1 : 0;
  return {};
}

void stop(const FrontEnd& front_end) noexcept {
  const std::scoped_lock lock(g_mutex);
  // Relaxed: running() tells nothing of what comes next.
  const int left = g_users.all.fetch_sub(1, std::memory_order_relaxed) - 1;
  if (front_end.needs.agent) {
    release_agent();
  }
  leave_network(front_end.closing, left == 0);
  g_users.of_memory -= front_end.needs.symmetric_memory() ? 1 : 0;
  g_users.of_own_area -= front_end.needs.own_bytes > 0 ? 1 : 0;
  forget_unused();
  if (left == 0) {
    mark(boot::Phase::kFinalised);
  }
}

}  // namespace weft::job
