#include "progress/work.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include "base/lines.hpp"

namespace weft::progress {
namespace {

// A handful: the rooms and front ends there are. Functions are added while the library starts and never leave.
template <class Function>
class List {
 public:
  // Adding what is there does nothing: the library may start several times.
  void add(Function function) noexcept {
    for (std::atomic<Function>& place : places_) {
      Function none = nullptr;
      // Release: what the function needs is there for the thread that finds it. Relaxed where it is not ours.
      if (place.compare_exchange_strong(none, function, std::memory_order_release, std::memory_order_relaxed) ||
          none == function) {
        return;
      }
    }
    base::fail(nullptr, "more than %zu rooms want to be called while the PE waits", places_.size());
  }
  template <class Do>
  void each(Do&& call) const noexcept {
    for (const std::atomic<Function>& place : places_) {
      const Function function = place.load(std::memory_order_acquire);
      if (function == nullptr) {
        return;
      }
      call(function);
    }
  }

 private:
  std::array<std::atomic<Function>, 8> places_{};
};

constinit List<Look> g_looks{};
constinit List<IdleWork> g_idle{};

}  // namespace

void add_look(Look look) noexcept { g_looks.add(look); }
void look_at_all() noexcept {
  g_looks.each([](Look look) { look(); });
}

void add_idle_work(IdleWork work) noexcept { g_idle.add(work); }
bool do_idle_work() noexcept {
  bool left = false;
  g_idle.each([&](IdleWork work) { left = work() || left; });
  return left;
}

}  // namespace weft::progress
