#include "progress/work.hpp"

#include "msg/engine.hpp"

namespace weft::msg {
namespace {
Engine& g = g_engine;
}

bool go_on() noexcept {
  bool came = false;
  // By number: what is delivered may make boxes.
  for (std::size_t k = 0; k < g.boxes.size(); ++k) {
    came |= poll_box(*g.boxes[k]);
  }
  poll_queue();
  look_at_answers();
  if (!g.copying.empty()) {
    go_on_copying();
  }
  if (!g.fetching.empty()) {
    go_on_fetching();
  }
  if (g.network != nullptr) {
    go_on_beyond();
  }
  if (!g.with_waiting.empty()) {
    send_waiting();
  }
  return came;
}

bool work_is_left() noexcept { return !g.with_waiting.empty() || !g.copying.empty() || !g.fetching.empty(); }

}  // namespace weft::msg
