#include "job/start.hpp"

#include <mutex>

#include "base/report.hpp"
#include "boot/cards.hpp"
#include "job/attach.hpp"
#include "job/network.hpp"
#include "job/node.hpp"
#include "memory/placement.hpp"
#include "pmi/session.hpp"
#include "progress/work.hpp"

namespace weft::job {
namespace {

constinit std::mutex g_mutex;
constinit int g_users = 0;  // front ends that have started the job and not stopped it

base::Result<void> map_memory(const base::Options& options) noexcept {
  Node& node = job::node();
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

base::Result<void> join_network(const base::Options& options, Opening opening) noexcept {
  const auto network = find_network(options);
  if (!network) {
    return network.error();
  }
  opening(*network);
  return open_network(options, pmi::joined() ? pmi::exchange_cards : boot::exchange_cards);
}

base::Result<void> start_first(const base::Options& options, Opening opening) noexcept {
  Node& node = job::node();
  if (g_process.attach_failed) {
    return g_process.attach_error;
  }
  base::set_debug(options.debug.on);
  if (node.job == nullptr) {
    if (const auto attached = attach_now(options); !attached) {
      return attached;
    }
  }
  node.patience =
      sync::patience_for(node.n_local, static_cast<int>(node.job->cpus), options.spin.value, options.sleep_after.value);
  node.patience.idle = progress::do_idle_work;
  watch_others();
  base::Result<void> started = map_memory(options);
  if (started) {
    started = join_network(options, opening);
  }
  if (!started) {
    node.space.unmap_all();
  }
  return started;
}

}  // namespace

void mark(boot::Phase phase) noexcept {
  // Release: the launcher that sees the phase sees what led to it.
  node().record().phase.store(static_cast<std::uint32_t>(phase), std::memory_order_release);
}

base::Result<void> start(const base::Options& options, Opening opening) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_users == 0) {
    if (const auto started = start_first(options, opening); !started) {
      return started;
    }
  }
  ++g_users;
  return {};
}

void stop(Closing closing) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (--g_users == 0) {
    close_network(closing);
    node().space.unmap_all();
  }
}

}  // namespace weft::job
