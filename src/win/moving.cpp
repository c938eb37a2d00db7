#include "win/moving.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "job/node.hpp"
#include "lock/keys.hpp"
#include "progress/work.hpp"
#include "rma/order.hpp"
#include "sync/waiter.hpp"
#include "win/held.hpp"
#include "win/waits.hpp"

namespace weft::win {
namespace {

// Agents of the windows of this process. Whoever lets the network go on serves them, one at a time: who finds somebody
// at it goes on, also when that is himself, as an agent may let the network go on.
class Agents {
 public:
  void add(lock::LockAgent& agent) noexcept {
    take();
    all_.push_back(&agent);
    give_back();
  }
  void remove(lock::LockAgent& agent) noexcept {
    take();
    all_.erase(std::remove(all_.begin(), all_.end(), &agent), all_.end());
    give_back();
  }
  void serve() noexcept {
    // Relaxed: who has just come has nothing to do yet.
    if (count_.load(std::memory_order_relaxed) == 0 || busy_.exchange(true, std::memory_order_acquire)) {
      return;
    }
    for (lock::LockAgent* const each : all_) {
      each->serve();
    }
    give_back();
  }

 private:
  void take() noexcept {
    const job::Node& node = job::node();
    sync::wait(node.patience, node.value_bell(node.local), nullptr, sync::WaitNote(),
               [this]() noexcept { return !busy_.exchange(true, std::memory_order_acquire); });
  }
  void give_back() noexcept {
    count_.store(all_.size(), std::memory_order_relaxed);
    busy_.store(false, std::memory_order_release);
  }

  std::atomic<bool> busy_ = false;
  std::atomic<std::size_t> count_ = 0;
  std::vector<lock::LockAgent*> all_;
};
// For the life of the process: pollers may look at it until its end.
Agents& agents() noexcept {
  static Agents& made = *new Agents;
  return made;
}

constinit progress::Poller g_serve{.what = []() noexcept {
  agents().serve();
  return false;
}};

template <boot::OfWindow what>
constexpr sync::WaitNote::Writer kNote = {[](const void* member, std::uint64_t /*detail*/) noexcept {
                                            return WaitTold(*static_cast<const Member*>(member), what, nullptr).begin();
                                          },
                                          job::looked_in_vain, job::end_wait};

sync::WaitNote note_of(const Member& member, lock::Mode mode) noexcept {
  return {mode == lock::Mode::kShared ? kNote<boot::OfWindow::kShared> : kNote<boot::OfWindow::kExclusive>, &member};
}

lock::LockMeans means() noexcept {
  const job::Node& node = job::node();
  return {*node.network, node.patience, rma::wait_for_network};
}

lock::LockPlace place_of(int pe, const transport::RegionKey& key, LockBy by) noexcept {
  return {{pe, key, offsetof(Moving, words)}, {pe, key, offsetof(Moving, head)}, by == LockBy::kNetwork, true};
}

}  // namespace

bool MovingLock::lend(Moving* words) noexcept {
  words_ = words;
  return win::lend(words, sizeof *words, &key_);
}

bool MovingLock::open(LockBy by) noexcept {
  // Relaxed: the members meet behind it.
  words_->key.store(lock::LockKey::of(1, by == LockBy::kNetwork), std::memory_order_relaxed);
  words_->head.found.store(1, std::memory_order_relaxed);  // the agent takes charge of it with its first look
  const lock::LockPolicy policy = by == LockBy::kAlways    ? lock::LockPolicy::always()
                                  : by == LockBy::kNetwork ? lock::LockPolicy::never()
                                                           : lock::LockPolicy();
  const transport::Remote first = place_of(job::node().me, key_, by).words;
  is_open_ = agent_.open(*job::node().network, first, words_->head, &words_->key, &words_->words, 1, policy);
  if (is_open_) {
    agents().add(agent_);
    if (!g_serve.listed) {
      progress::add_poller(g_serve);
    }
  }
  return is_open_;
}

void MovingLock::close() noexcept {
  if (is_open_) {
    agents().remove(agent_);
    agent_.close([] { job::node().network->progress(); });
    is_open_ = false;
  }
  take_back(key_);
  key_ = {};
}

void lock_moving(const Member& member, LockBy by, lock::Mode mode, transport::Pending& pending) noexcept {
  const lock::LockPlace place = place_of(member.pe, member.beyond().lock_key, by);
  if (Moving* const here = member.beyond().moving; here != nullptr) {
    lock::NearLock(means(), place, here->words, here->head).lock(mode, note_of(member, mode));
  } else {
    lock::FarLock(means(), place).lock(mode, note_of(member, mode), pending);
  }
}

void unlock_moving(const Member& member, LockBy by, lock::Mode mode, transport::Pending& pending) noexcept {
  const lock::LockPlace place = place_of(member.pe, member.beyond().lock_key, by);
  if (Moving* const here = member.beyond().moving; here != nullptr) {
    lock::NearLock(means(), place, here->words, here->head).unlock(mode);
  } else {
    lock::FarLock(means(), place).unlock(mode, pending);
  }
}

}  // namespace weft::win
