// Memory that is shown to others: the network reaches it from other nodes, on this one its PE copies for who asks.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/lines.hpp"
#include "job/node.hpp"
#include "parts.hpp"
#include "rma/target.hpp"
#include "toy.hpp"
#include "transport/transport.hpp"

namespace toy {
namespace {

namespace job = weft::job;
namespace transport = weft::transport;

constexpr std::size_t kPieceBytes = 65536;  // so large a part of the own area a request takes

std::mutex g_mutex;  // the agent looks while the PE changes it
std::vector<Region> g_shown;

bool is_shown(std::uint64_t address, std::size_t bytes) {
  const std::scoped_lock lock(g_mutex);
  return std::any_of(g_shown.begin(), g_shown.end(), [&](const Region& region) {
    return bytes <= region.bytes && address >= region.address && address - region.address <= region.bytes - bytes;
  });
}

template <class Do>
void by_pieces(std::size_t bytes, Do&& copy) {
  for (std::size_t done = 0; done < bytes; done += kPieceBytes) {
    copy(done, std::min(kPieceBytes, bytes - done));
  }
}

}  // namespace

std::uint64_t serve(int pe, What what, std::uint64_t number, std::byte* data, std::size_t bytes) {
  if (what == What::kAsk) {
    return answer_of(me(), number);
  }
  if (what == What::kSend) {
    if (void* const at = landing(pe, bytes); at != nullptr) {
      std::memcpy(at, data, bytes);
    }
    has_landed(pe);
    return 0;
  }
  if (!is_shown(number, bytes)) {
    weft::base::fail("toy", "PE %d wants %zu bytes at 0x%zx, which are not shown", pe, bytes, number);
  }
  auto* const at = reinterpret_cast<std::byte*>(number);
  std::memcpy(what == What::kPut ? at : data, what == What::kPut ? data : at, bytes);
  return 0;
}

Region show(void* at, std::size_t bytes) {
  Region made{reinterpret_cast<std::uint64_t>(at), bytes, 0, 0};
  if (transport::Transport* const network = job::node().network; network != nullptr) {
    const auto lent = network->lend({at, bytes});
    if (!lent) {
      weft::base::fail("toy_show", "%s", lent.error().text());
    }
    made.key = lent->key;
    made.base = lent->base;
  }
  const std::scoped_lock lock(g_mutex);
  g_shown.push_back(made);
  return made;
}

void hide(const Region& region) {
  {
    const std::scoped_lock lock(g_mutex);
    std::erase_if(g_shown, [&](const Region& shown) { return shown.address == region.address; });
  }
  if (transport::Transport* const network = job::node().network; network != nullptr) {
    network->take_back({region.key, region.base});
  }
}

void put(int pe, const Region& region, std::uint64_t offset, const void* from, std::size_t bytes) {
  if (!on_this_node(pe)) {
    transport::Pending pending;
    job::node().network->put({pe, {region.key, region.base}, offset}, from, bytes, transport::Source::kStays, pending);
    weft::rma::complete(pending);
    return;
  }
  by_pieces(bytes, [&](std::size_t done, std::size_t piece) {
    (void)ask_on_node(pe, {.what = What::kPut,
                           .number = region.address + offset + done,
                           .out = static_cast<const std::byte*>(from) + done,
                           .bytes = piece});
  });
}

void get(int pe, const Region& region, std::uint64_t offset, void* to, std::size_t bytes) {
  if (!on_this_node(pe)) {
    transport::Pending pending;
    job::node().network->get(to, {pe, {region.key, region.base}, offset}, bytes, pending);
    weft::rma::complete(pending);
    return;
  }
  by_pieces(bytes, [&](std::size_t done, std::size_t piece) {
    (void)ask_on_node(pe, {.what = What::kGet,
                           .number = region.address + offset + done,
                           .in = static_cast<std::byte*>(to) + done,
                           .bytes = piece});
  });
}

}  // namespace toy
