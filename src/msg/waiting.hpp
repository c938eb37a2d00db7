// How calls of this room wait: messages go on meanwhile, and who waits long says for what.
#pragma once

#include <cstdint>

#include "job/notes.hpp"
#include "msg/engine.hpp"
#include "sync/waiter.hpp"

namespace weft::msg {

class Note {
 public:
  explicit Note(const job::Awaited& awaited) noexcept : awaited_(awaited) {}
  int begin(std::uint64_t /*detail*/ = 0) const noexcept {
    return awaited_.why == boot::Waiting::kNot ? -1 : job::begin_wait(awaited_);
  }
  void looked(int place, std::uint64_t /*waited_ns*/) const noexcept { job::looked_in_vain(place); }
  void end(int place) const noexcept { job::end_wait(place); }

 private:
  const job::Awaited& awaited_;
};

/// Messages go on, unless another thread is at it.
inline void go_on_if_free() noexcept {
  Engine& engine = g_engine;
  if (!engine.locked) [[likely]] {
    go_on();
  } else if (engine.mutex.try_lock()) {
    go_on();
    engine.mutex.unlock();
  }
}

/// As sync::wait; the caller has no guard.
template <class Done>
void wait_for(const job::Awaited& awaited, Done&& done) noexcept {
  const job::Node& node = *g_engine.node;
  sync::wait(node.patience, node.value_bell(node.local), nullptr, Note(awaited), [&]() noexcept {
    if (done()) {
      return true;
    }
    go_on_if_free();
    return done();
  });
}

/// Of a wait for a request, for people.
job::Awaited awaited_of(const Request& request) noexcept;

}  // namespace weft::msg
