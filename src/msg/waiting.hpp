// How calls of this room wait: messages go on meanwhile, and who waits long says for what.
#pragma once

#include <atomic>
#include <cstdint>

#include "job/notes.hpp"
#include "msg/engine.hpp"
#include "sync/uncrowded.hpp"

namespace weft::msg {

/// A wait that has lasted as long: whoever asks is told what has come instead, and what its communicator is called.
inline constexpr std::uint64_t kToldAfterNs = 50'000'000;
/// What is known of the wait that is written down in this place. The request may be null.
void tell(int place, const job::Awaited& awaited, const Request* request) noexcept;

class Note {
 public:
  explicit Note(const job::Awaited& awaited, const Request* request = nullptr) noexcept
      : awaited_(awaited), request_(request) {}
  int begin(std::uint64_t /*detail*/ = 0) const noexcept {
    return awaited_.why == boot::Waiting::kNot ? -1 : job::begin_wait(awaited_);
  }
  void looked(int place, std::uint64_t waited_ns) const noexcept {
    if (waited_ns > kToldAfterNs && place >= 0) [[unlikely]] {
      tell(place, awaited_, request_);
    }
    job::looked_in_vain(place);
  }
  void end(int place) const noexcept { job::end_wait(place); }

 private:
  const job::Awaited& awaited_;
  const Request* request_;
};

/// Messages go on, unless another thread is at it. True: some have come through boxes.
inline bool go_on_if_free() noexcept {
  Engine& engine = g_engine;
  bool came = false;
  if (!engine.locked) [[likely]] {
    came = go_on();
  } else if (engine.mutex.try_lock()) {
    came = go_on();
    engine.mutex.unlock();
  }
  return came;
}

/// What was awaited has not come yet, but other messages have, in this look and in so many before. Who looks on at once
/// reads each line as soon as it is written, and then both processors wait for that line, message after message; who
/// lets the writer get ahead finds several. A first message, and a second one, are followed at once: few are awaited
/// together.
[[gnu::noinline]] inline void fall_behind(int before) noexcept {
  constexpr int kRelaxes = 6;
  for (int k = 0; before >= 2 && k < kRelaxes; ++k) {
    sync::relax();
  }
}

/// Of several threads that wait, one lets messages go on and looks out for all: each that polls takes the lock from the
/// others, and with more threads than processors also the processor from the one whose message is to come.
class LooksOut {
 public:
  LooksOut() noexcept : mine_(!g_engine.looked_out.exchange(true, std::memory_order_acquire)) {}
  LooksOut(const LooksOut&) = delete;
  LooksOut& operator=(const LooksOut&) = delete;
  ~LooksOut() {
    if (mine_) {
      // seq_cst, for the bell: one that rests sees this, or is counted as a sleeper.
      (void)g_engine.looked_out.exchange(false, std::memory_order_seq_cst);
      sync::ring(g_engine.node->value_bell(g_engine.node->local));
    }
  }
  bool is_mine() const noexcept { return mine_; }

 private:
  bool mine_;
};

/// While another thread looks out. Who completes something for one that rests rings (rouse() in engine.hpp).
class Rests {
 public:
  Rests() noexcept { count(1); }
  Rests(const Rests&) = delete;
  Rests& operator=(const Rests&) = delete;
  ~Rests() { count(-1); }

 private:
  // Under the lock: what is completed behind this is rung for, what was before is seen.
  static void count(int more) noexcept {
    const Guard guard;
    g_engine.resting += more;
  }
};

/// Until done(), which is true once only, or until nobody looks out. True: done.
template <class Done>
bool rest(const job::Awaited& awaited, const Request* request, Done&& done) noexcept {
  const job::Node& node = *g_engine.node;
  sync::Patience patience = node.patience;
  patience.sleep_after_ns = 0;
  patience.idle = nullptr;
  patience.lie_down = nullptr;
  const Rests rests;
  bool is_done = false;
  sync::wait(patience, node.value_bell(node.local), nullptr, Note(awaited, request), [&]() noexcept {
    is_done = is_done || done();
    // Acquire: what that thread has brought is seen.
    return is_done || !g_engine.looked_out.load(std::memory_order_acquire);
  });
  return is_done;
}

/// Looks of a thread before it asks who looks out: a few round trips of a cache line.
inline constexpr std::uint32_t kLooksFirst = 64;

/// As sync::wait; the caller has no guard. `request` is what it is for, or null.
template <class Done>
void wait_for(const job::Awaited& awaited, const Request* request, Done&& done) noexcept {
  const job::Node& node = *g_engine.node;
  const auto look = [&]() noexcept {
    const Note note(awaited, request);
    int came_before = 0;
    const auto looked = [&]() noexcept {
      if (done()) {
        return true;
      }
      const bool came = go_on_if_free();
      if (done()) {
        return true;
      }
      if (came) [[unlikely]] {
        fall_behind(came_before++);
      }
      return false;
    };
    // Of several threads this is the one that looks out.
    if (!g_engine.locked || (g_engine.several && g_engine.network == nullptr)) [[likely]] {
      sync::wait_uncrowded<sync::Uncrowds::kEverybody>(node.patience, node.value_bell(node.local), nullptr, note,
                                                       looked);
    } else {
      sync::wait(node.patience, node.value_bell(node.local), nullptr, note, looked);
    }
  };
  if (!g_engine.several) [[likely]] {
    look();
    return;
  }
  // What comes soon is not worth two exchanges.
  for (std::uint32_t k = 0; k < kLooksFirst && k < node.patience.spins; ++k) {
    if (done()) {
      return;
    }
    (void)go_on_if_free();
    sync::relax();
  }
  for (bool is_done = false; !is_done;) {
    const LooksOut looks_out;
    if (looks_out.is_mine()) {
      look();
      is_done = true;
    } else {
      is_done = rest(awaited, request, done);
    }
  }
}

/// Of a wait for a request, for people.
job::Awaited awaited_of(const Request& request) noexcept;

}  // namespace weft::msg
