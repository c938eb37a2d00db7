#include "msg/start.hpp"

#include <cstring>

#include "base/lines.hpp"
#include "job/shared_area.hpp"
#include "msg/engine.hpp"
#include "progress/work.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// PEs of other nodes share what may come unexpectedly, with so much for each at least that small messages flow.
constexpr std::uint64_t kLeastAllowance = 32768;

// Whose calls need no lock while there is one thread: other rooms' waits of other threads leave messages alone then.
constinit thread_local bool t_is_caller = false;

// True: something is left to do, perhaps for who is at it at this moment.
bool go_on_with_lock() noexcept {
  if (!g.mutex.try_lock()) {
    return true;
  }
  if (g.running) {
    (void)go_on();
  }
  const bool is_left = g.running && work_is_left();
  g.mutex.unlock();
  return is_left;
}

// What a PE that waits for something else owes the others: to take what they send, and to bring what they fetch.
bool idle() noexcept {
  if (!g.running) {
    return false;
  }
  if (g.locked) {
    return go_on_with_lock();
  }
  if (t_is_caller) {
    (void)go_on();
  }
  return work_is_left();
}

// The network has gone on: what had no room may go.
bool look() noexcept {
  if (g.running && g.network != nullptr) {
    (void)go_on_with_lock();
  }
  return false;  // what the network brings rings the bells anyway
}

// They stay when this room ends: taking them away waits for who is in them, and that one may wait for the Guard.
constinit progress::IdleWork g_idle{.what = idle};
constinit progress::Poller g_look{.what = look};

// What nobody has received.
void drop_all() noexcept {
  while (Kept* const message = g.matching.first()) {
    g.matching.remove(*message);
    drop(*message);
  }
}

void open(const base::Options& options) noexcept {
  const job::Node& node = *g.node;
  const std::uint64_t limit = options.unexpected.value;
  g.limit = limit;
  const auto sharers = static_cast<std::uint64_t>(node.n_pes < 16 ? 16 : node.n_pes);
  g.allowance = limit / sharers > kLeastAllowance ? limit / sharers : kLeastAllowance;
  g.single_copy = options.single_copy_by();
  g.peers.resize(static_cast<std::size_t>(node.n_pes));
  g.self.open(g.single_copy, node.job->launcher_pid);
  g.self.show(&g.hub->card);
  g.answers_seen = 0;
  g.withdrawals_seen = 0;
  g.unexpected = 0;
  g.closed = false;
}

}  // namespace

void opening(transport::Transport* network) noexcept {
  g.network = network;
  if (network != nullptr) {
    g.locked = true;
    add_kinds();
  }
}

void listen(const Listener* listener) noexcept { g.listener = listener; }

void several_threads(bool several) noexcept {
  g.several = several;
  g.locked = several || g.network != nullptr;
}

bool one_thread() noexcept { return !g.locked; }

base::Result<void> begin(const base::Options& options) noexcept {
  const Guard guard;
  if (g.begun++ > 0) {
    return {};
  }
  job::Node& node = job::node();
  g.node = &node;
  const std::size_t bytes = hub_bytes(node.n_local);
  const auto offset = node.own.allocate(bytes);
  if (!offset) {
    --g.begun;
    return base::Error::make("there is no room for %zu bytes in this PE's own area", bytes);
  }
  g.hub_offset = *offset;
  g.hub = reinterpret_cast<Hub*>(node.own.at(node.local, *offset));
  std::memset(static_cast<void*>(g.hub), 0, bytes);
  g.pool.open(node.own, node.local);
  open(options);
  t_is_caller = true;
  // Release: who finds the place finds it cleared, and the card.
  job::shared_pe(node.job, node.local).messages.store(*offset + 1, std::memory_order_release);
  progress::add_idle_work(g_idle);
  progress::add_poller(g_look);
  g.running = true;
  return {};
}

bool all_withdrawn_are_dropped() noexcept {
  const Guard guard;
  return g.withdrawn.empty();
}

void end() noexcept {
  const Guard guard;
  if (g.begun == 0 || --g.begun > 0) {
    return;
  }
  if (!g.withdrawn.empty()) {
    // A receiver may write where others' data is soon: all_withdrawn_are_dropped() was not waited for.
    base::fail(job::current_call(), "%zu messages that were withdrawn are still with their receivers",
               g.withdrawn.size());
  }
  g.running = false;
  drop_all();
  g.self.close();
  for (const Peer* const peer : g.boxes) {
    g.pool.give_back_block(offset_of_box(peer->in_spot));
    if (peer->next_spot != 0) {
      g.pool.give_back_block(offset_of_box(peer->next_spot));
    }
  }
  g.boxes.clear();
  g.with_waiting.clear();
  g.with_sayings.clear();
  g.peers.clear();
  g.pool.close();
  job::shared_pe(g.node->job, g.node->local).messages.store(0, std::memory_order_relaxed);
  (void)g.node->own.release(g.hub_offset);
  g.hub = nullptr;
}

std::uint64_t unexpected_bytes() noexcept {
  const Guard guard;
  return g.unexpected;
}

}  // namespace weft::msg
