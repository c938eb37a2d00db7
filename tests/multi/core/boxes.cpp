// Messages between PEs of a node: in each PE's own area a box for each sender, of one request.
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <type_traits>

#include "base/lines.hpp"
#include "job/agent.hpp"
#include "job/node.hpp"
#include "parts.hpp"
#include "progress/work.hpp"
#include "sync/waiter.hpp"
#include "toy.hpp"

namespace toy {
namespace {

namespace job = weft::job;

struct alignas(64) Box {
  std::atomic<What> full;  // kNone: the sender's, else the receiver's
  std::uint32_t unused;
  std::uint64_t number;
  std::uint64_t offset;  // of the data, in the sender's own area
  std::uint64_t bytes;
};
static_assert(sizeof(Box) == 64 && std::is_standard_layout_v<Box> && offsetof(Box, bytes) == 24);

std::mutex g_mutex;  // one thread looks at a time
std::optional<std::uint64_t> g_boxes;

Box& box(int receiver, int sender) { return reinterpret_cast<Box*>(job::node().own.at(receiver, *g_boxes))[sender]; }

// True: there was a request, and it is answered.
bool look_at(int sender) {
  const job::Node& node = job::node();
  Box& in = box(node.local, sender);
  // Acquire: the sender has written the rest before.
  const What what = in.full.load(std::memory_order_acquire);
  if (what == What::kNone) {
    return false;
  }
  const std::uint64_t offset = in.offset;
  const std::uint64_t bytes = in.bytes;
  if (!node.own.holds(offset, bytes)) {
    weft::base::fail("toy", "a request of PE %d is outside of its area", node.pe_of(sender));
  }
  in.number = serve(node.pe_of(sender), what, in.number, node.own.at(sender, offset), bytes);
  // seq_cst: the answer first, and it is the fence that ring() asks for.
  (void)in.full.exchange(What::kNone, std::memory_order_seq_cst);
  weft::sync::ring(node.value_bell(sender));
  return true;
}

bool look() noexcept {
  bool found = false;
  if (const std::unique_lock lock(g_mutex, std::try_to_lock); lock && g_boxes) {
    for (int sender = 0; sender < job::node().n_local; ++sender) {
      found = look_at(sender) || found;
    }
  }
  return found;
}

// Where the PE waits and where it computes.
constinit weft::progress::IdleWork g_idle{.what = []() noexcept {
  (void)look();
  return false;
}};
constinit weft::progress::Poller g_poller{.what = look};

}  // namespace

bool make_boxes() {
  const job::Node& node = job::node();
  const auto bytes = static_cast<std::uint64_t>(node.n_local) * sizeof(Box);
  const auto at = allocate(bytes);
  if (at) {
    std::memset(static_cast<void*>(node.own.at(node.local, *at)), 0, bytes);
    {
      const std::scoped_lock lock(g_mutex);
      g_boxes = at;
    }
    weft::progress::add_idle_work(g_idle);
    weft::progress::add_poller(g_poller);
  }
  return at.has_value();
}

void leave_boxes() {
  weft::progress::remove_poller(g_poller);
  weft::progress::remove_idle_work(g_idle);
  const std::scoped_lock lock(g_mutex);
  (void)release(*g_boxes);
  g_boxes.reset();
}

std::uint64_t ask_on_node(int pe, const Request& request) {
  const job::Node& node = job::node();
  const auto block = allocate(request.bytes + 1);
  if (!block) {
    weft::base::fail("toy", "%zu bytes are too long for a message", request.bytes);
  }
  std::byte* const data = node.own.at(node.local, *block);
  if (request.out != nullptr) {
    std::memcpy(data, request.out, request.bytes);
  }
  const int receiver = node.here(pe);
  Box& out = box(receiver, node.local);
  out.number = request.number;
  out.offset = *block;
  out.bytes = request.bytes;
  // seq_cst: the rest first, and it is the fence that ring() asks for.
  (void)out.full.exchange(request.what, std::memory_order_seq_cst);
  weft::sync::ring(node.value_bell(receiver));
  job::wake_agent(receiver);
  weft::sync::wait(node.patience, node.value_bell(node.local), nullptr, {}, [&out]() noexcept {
    (void)look();  // two that ask each other
    // Acquire: the answer was written before.
    return out.full.load(std::memory_order_acquire) == What::kNone;
  });
  if (request.in != nullptr) {
    std::memcpy(request.in, data, request.bytes);
  }
  (void)release(*block);
  return out.number;
}

}  // namespace toy
