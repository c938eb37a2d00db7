#include "shmem/inline_window.hpp"

#include <cstddef>

#include "copy/copy.hpp"
#include "job/shared_area.hpp"
#include "shmem/tools.hpp"

#define WEFT_WINDOW_OWNER
#include "weft/window.h"

namespace {

// Nobody sleeps before there is a job.
constexpr unsigned kNobody = 0;
// In a job of several nodes an order has more to do than to wake sleepers: the library always does it.
constexpr unsigned kSomebody = 1;

}  // namespace

extern "C" {
[[gnu::visibility("default")]] struct weft_window weft_window = {.lo = 0,
                                                                 .span = 0,
                                                                 .to_peers = 0,
                                                                 .stride = 0,
                                                                 .n_pes = 0,
                                                                 .first = 0,
                                                                 .sleepers = &kNobody,
                                                                 .copy = weft::copy::copy_large,
                                                                 .none = 0,
                                                                 .n_here = 0};
[[gnu::visibility("default")]] struct weft_self weft_self = {.me = -1, .n_pes = 0};
}

// The header's type for the word: an atomic of the library, read by the compiler's own atomic load.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(unsigned) &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(weft::copy::kSmall == WEFT_LARGE_COPY);

// Programs are compiled with these places (docs/abi.md): what is there stays there.
static_assert(offsetof(struct weft_window, lo) == 0 && offsetof(struct weft_window, span) == 8 &&
              offsetof(struct weft_window, to_peers) == 16 && offsetof(struct weft_window, stride) == 24 &&
              offsetof(struct weft_window, n_pes) == 32 && offsetof(struct weft_window, first) == 36 &&
              offsetof(struct weft_window, sleepers) == 40 && offsetof(struct weft_window, copy) == 48 &&
              offsetof(struct weft_window, none) == 56 && offsetof(struct weft_window, n_here) == 60 &&
              sizeof(struct weft_window) == 64);
static_assert(offsetof(struct weft_self, me) == 0 && offsetof(struct weft_self, n_pes) == 4 &&
              sizeof(struct weft_self) == 64);

namespace weft::shmem {

void describe_window(const job::Node& node) noexcept {
  if (job::tool_is_loaded(tools())) {
    return;  // the window stays empty: every operation comes to a function, which is the tool's
  }
  const memory::Space& space = node.space;
  weft_window.lo = space.lo();
  weft_window.stride = space.stride();
  weft_window.to_peers = space.peers().lo == 0 ? 0 : space.peers().lo - space.lo();
  weft_window.first = static_cast<unsigned>(node.first_here);
  if (node.job == nullptr) {
    return;
  }
  // Programs of older headers go by n_pes, and add to_peers as if PE 0 were the node's first.
  weft_window.n_pes = node.first_here == 0 ? node.run_here : 0;
  weft_window.n_here = node.run_here;
  weft_window.sleepers = node.job->n_nodes > 1
                             ? &kSomebody
                             : reinterpret_cast<const unsigned*>(&job::shared_head(node.job).value_sleepers);
}

void open_window(const job::Node& node) noexcept {
  // The inline bodies know atomic operations of the processor only.
  const bool is_watched = job::tool_is_loaded(tools());
  weft_window.span = is_watched || node.amo_by_network ? 0 : node.space.extent();
  if (!is_watched) {
    weft_self = {.me = node.me, .n_pes = node.n_pes};
  }
}

void close_window() noexcept {
  weft_window.span = 0;
  weft_self = {.me = -1, .n_pes = 0};
}

}  // namespace weft::shmem
