#include "win/served.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "copy/copy.hpp"
#include "job/agent.hpp"
#include "job/node.hpp"
#include "job/start.hpp"
#include "memory/fault.hpp"
#include "os/futex.hpp"
#include "os/guarded_copy.hpp"
#include "progress/work.hpp"
#include "reach/neighbours.hpp"
#include "win/held.hpp"
#include "win/waits.hpp"

namespace weft::win {
namespace {

constinit std::mutex g_mutex;  // of serving and not
constinit std::atomic<Box*> g_box = nullptr;
// Processes of the node that this one has reached by itself. Of those behind it is found out each time.
constexpr int kMostNumbers = 1024;
constinit std::array<std::atomic<bool>, kMostNumbers> g_reached{};

void answer(Box& box, std::uint32_t state) noexcept {
  // seq_cst, release: who sees it sees the data; and either this finds who is about to sleep, or that one finds this.
  box.state.exchange(state, std::memory_order_seq_cst);
  if (box.sleepers.load(std::memory_order_relaxed) != 0) {
    // Release: who finds the bell changed finds what it was rung for.
    box.rings.fetch_add(1, std::memory_order_release);
    os::futex_wake_all(box.rings);
  }
}

// By whichever thread is at it.
bool look() noexcept {
  Box* const box = g_box.load(std::memory_order_acquire);
  std::uint32_t asked = Box::kAsked;
  // Acquire: what is asked for.
  if (box == nullptr || box->state.load(std::memory_order_relaxed) != Box::kAsked ||
      !box->state.compare_exchange_strong(asked, Box::kBusy, std::memory_order_acquire, std::memory_order_relaxed)) {
    return false;
  }
  // The words are in memory that any PE can write to: no more than the piece is touched here.
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(box->bytes, Box::kPiece));
  auto* const mine = reinterpret_cast<void*>(static_cast<std::uintptr_t>(box->address));
  const bool puts = box->puts != 0;
  void* const to = puts ? mine : box->data;
  const void* const from = puts ? box->data : mine;
  const os::Fault fault = os::guarded_copy(to, from, bytes, copy::known(to, from, bytes));
  answer(*box, fault == os::Fault::kNone ? Box::kDone : Box::kFailed);
  return false;
}

constinit progress::Poller g_look{.what = look};

Box* box_of(const Member& member) noexcept {
  // Relaxed: it was stored before the members met.
  const std::uint64_t place = member.line->box.load(std::memory_order_relaxed);
  const bool good = place % alignof(Box) == 1 && job::node().own.holds(place - 1, sizeof(Box));
  return good ? reinterpret_cast<Box*>(job::node().own.at(member.number(), place - 1)) : nullptr;
}

bool ask(const Member& member, Box& box) noexcept {
  // seq_cst, release: who serves sees the question, and wake_agent() looks for a sleeper behind it.
  box.state.exchange(Box::kAsked, std::memory_order_seq_cst);
  job::wake_agent(member.number());
  sync::BellFor bell{box.rings, box.sleepers, os::kEveryWaiter};
  sync::wait(job::node().patience, bell, nullptr, WaitTold(member, boot::OfWindow::kElements, nullptr), [&]() noexcept {
    // Acquire: the data.
    return box.state.load(std::memory_order_acquire) >= Box::kDone;
  });
  return box.state.load(std::memory_order_relaxed) == Box::kDone;
}

}  // namespace

bool reaches_alone(const Member& member) noexcept {
  if (member.number() == job::node().local) {
    return true;
  }
  const int number = member.number();
  reach::Peer* const peer = reach::neighbours().peer(number, member.pe);
  const bool reaches = peer != nullptr && peer->way(reach::Direction::kRead) != reach::kNoWay &&
                       peer->way(reach::Direction::kWrite) != reach::kNoWay;
  if (reaches && number < kMostNumbers) {
    // Relaxed: nothing else is read by it.
    g_reached[static_cast<std::size_t>(number)].store(true, std::memory_order_relaxed);
  }
  return reaches;
}

bool has_reached(int number) noexcept {
  return number == job::node().local ||
         (number < kMostNumbers && g_reached[static_cast<std::size_t>(number)].load(std::memory_order_relaxed));
}

bool serve_memory() noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_box.load(std::memory_order_relaxed) != nullptr) {
    return true;
  }
  void* const at = take(sizeof(Box));
  if (at == nullptr) {
    return false;
  }
  std::memset(at, 0, sizeof(Box) - Box::kPiece);
  if (!job::keep_agent()) {
    (void)give_back(at);
    return false;
  }
  memory::catch_faults();
  // Release: who finds the box finds it cleared.
  g_box.store(static_cast<Box*>(at), std::memory_order_release);
  progress::add_poller(g_look);
  return true;
}

std::uint64_t box_place() noexcept {
  const Box* const box = g_box.load(std::memory_order_acquire);
  return box == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(box) - job::node().own.own().lo + 1;
}

void stop_serving() noexcept {
  const std::scoped_lock lock(g_mutex);
  Box* const box = g_box.exchange(nullptr, std::memory_order_acq_rel);
  if (box != nullptr) {
    progress::remove_poller(g_look);
    job::let_agent_go();
    (void)give_back(box);
  }
}

reach::Moved move_by_agent(const Member& member, reach::Walk* walk, bool puts) noexcept {
  Box* const box = box_of(member);
  if (box == nullptr) {
    return {reach::Outcome::kForbidden, 0, walk->done()};
  }
  take_lock(member, box->lock, lock::Mode::kExclusive, boot::OfWindow::kElements);
  bool is_done = true;
  while (is_done && walk->left() > 0) {
    const reach::Stretch stretch = walk->stretch();
    const std::size_t bytes = std::min(stretch.bytes, Box::kPiece);
    box->address = stretch.address;
    box->bytes = bytes;
    box->puts = puts ? 1 : 0;
    if (puts) {
      copy::copy(box->data, stretch.ours, bytes);
    }
    is_done = ask(member, *box);
    if (is_done) {
      if (!puts) {
        copy::copy(stretch.ours, box->data, bytes);
      }
      walk->advance(bytes);
    }
  }
  lock::leave(box->lock, lock::Mode::kExclusive);
  return {is_done ? reach::Outcome::kDone : reach::Outcome::kUnmapped, 0, walk->done()};
}

}  // namespace weft::win
