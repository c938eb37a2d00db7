#include "reach/neighbours.hpp"

#include <new>

namespace weft::reach {

void Neighbours::forget() noexcept {
  for (int k = 0; peers_ != nullptr && k < plan_.count; ++k) {
    // Relaxed: no copy is under way.
    delete peers_[k].load(std::memory_order_relaxed);
  }
  delete[] peers_;
  peers_ = nullptr;
  self_.close();
  offered_.store(false, std::memory_order_relaxed);
}

void Neighbours::set_up(const Plan& plan) noexcept {
  const std::scoped_lock lock(mutex_);
  if (plan_.cards != plan.cards || plan_.count != plan.count || plan_.choice != plan.choice) {
    forget();
    plan_ = plan;
  }
}

Self& Neighbours::offer() noexcept {
  // Acquire: who sees that it is offered sees it open.
  if (offered_.load(std::memory_order_acquire)) {
    return self_;
  }
  const std::scoped_lock lock(mutex_);
  if (!offered_.load(std::memory_order_relaxed) && plan_.cards != nullptr) {
    self_.open(plan_.choice, plan_.family);
    self_.show(card(plan_.me));
    peers_ = new (std::nothrow) std::atomic<Peer*>[static_cast<std::size_t>(plan_.count)] {};
    // Release: see above.
    offered_.store(true, std::memory_order_release);
  }
  return self_;
}

Peer* Neighbours::peer(int number, int name) noexcept {
  if (!offered_.load(std::memory_order_acquire) || peers_ == nullptr) {
    return nullptr;
  }
  // Acquire: who sees a peer sees that it has been met.
  if (Peer* known = peers_[number].load(std::memory_order_acquire); known != nullptr) {
    return known;
  }
  const std::scoped_lock lock(mutex_);
  Peer* met = peers_[number].load(std::memory_order_relaxed);
  if (met == nullptr) {
    met = new (std::nothrow) Peer;
    if (met != nullptr) {
      met->meet(self_, *card(number), name);
      // Release: see above.
      peers_[number].store(met, std::memory_order_release);
    }
  }
  return met;
}

Neighbours& neighbours() noexcept {
  // Never destroyed: threads may copy while the process ends, and others look at the probe.
  alignas(Neighbours) static std::byte room[sizeof(Neighbours)];
  static auto* const there = new (room) Neighbours;
  return *there;
}

}  // namespace weft::reach
