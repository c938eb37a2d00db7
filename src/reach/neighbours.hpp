// The processes of a node that reach each other's memory: a card of each in shared memory, and a Peer for each, made
// when it is first reached. One for all who copy in a process, so what was found out is found out once.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "base/options.hpp"
#include "reach/peer.hpp"
#include "reach/self.hpp"

namespace weft::reach {

class Neighbours {
 public:
  Neighbours() = default;
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;
  ~Neighbours() { forget(); }

  struct Plan {
    std::byte* cards = nullptr;  // of the first one
    std::size_t distance = 0;    // to the next one's
    int count = 0;
    int me = 0;
    base::SingleCopy choice = base::SingleCopy::kBest;
    int family = 0;  // as Self::open has it
  };

  /// Who they are. Nothing is offered yet, so it costs nothing where nobody copies. While no copy is under way; with
  /// other cards than before all that was found out is forgotten.
  void set_up(const Plan& plan) noexcept;
  /// This process's side, offered from the first call on: who is told of that afterwards may reach it. Any thread, here
  /// and below.
  Self& offer() noexcept;
  /// One that has offered, with its number in messages; null without memory.
  Peer* peer(int number, int name) noexcept;

 private:
  void forget() noexcept;
  Card* card(int number) const noexcept {
    return reinterpret_cast<Card*>(plan_.cards + static_cast<std::size_t>(number) * plan_.distance);
  }

  Plan plan_{};
  Self self_;
  std::atomic<bool> offered_{false};
  std::atomic<Peer*>* peers_ = nullptr;  // as many as there are processes, from the first offer on
  std::mutex mutex_;                     // of what is made
};

/// Those of this process. It is there until the process ends, whatever ends before.
Neighbours& neighbours() noexcept;

}  // namespace weft::reach
