#include "win/held.hpp"

#include <algorithm>

#include "job/node.hpp"
#include "os/mapping.hpp"
#include "os/memory_info.hpp"

namespace weft::win {
namespace {

// Blocks so large begin with a page, so that no page of theirs is another one's when they go.
constexpr std::uint64_t kWholePages = std::uint64_t{64} << 10;

}  // namespace

bool machine_has(std::uint64_t bytes) noexcept {
  static const std::uint64_t all = os::memory_info().bytes;
  return all == 0 || bytes <= all;
}

void* take(std::uint64_t bytes, std::uint64_t alignment) noexcept {
  memory::OwnAreas& own = job::node().own;
  if (!machine_has(bytes) || !machine_has(own.in_use() + bytes)) {
    return nullptr;
  }
  const bool huge = own.wants_huge_pages() && bytes >= memory::OwnAreas::kUnit;
  const std::uint64_t begin = huge ? memory::OwnAreas::kUnit : bytes >= kWholePages ? os::kPage : kLeastAlignment;
  const auto offset = own.allocate(std::max<std::uint64_t>(bytes, 1), std::max(alignment, begin));
  return offset ? own.at(job::node().local, *offset) : nullptr;
}

bool give_back(void* at) noexcept {
  memory::OwnAreas& own = job::node().own;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return own.owner_of(address) == job::node().local && own.release_memory(address - own.own().lo, kWholePages);
}

namespace {

// Since its beginning.
Held find_mapped(const void* at, std::uint64_t bytes) noexcept {
  const job::Node& node = job::node();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (const int number = node.own.owner_of(address); number >= 0) {
    const auto offset = address - reinterpret_cast<std::uintptr_t>(node.own.at(number, 0));
    return node.own.holds(offset, bytes) ? Held{Held::Where::kOwn, number, offset} : Held{};
  }
  const memory::Range heap = node.space.heap();
  if (node.space.mapped() && heap.holds(address) && bytes <= heap.hi - address) {
    return {Held::Where::kHeap, node.local, address - heap.lo};
  }
  return {};
}

}  // namespace

Held find_held(const void* at, std::uint64_t bytes) noexcept {
  const job::Node& node = job::node();
  const Held held = find_mapped(at, bytes);
  if (held.where != Held::Where::kNowhere) {
    return held;
  }
  if (const auto offset = node.adopted.find(at, bytes)) {
    return {Held::Where::kOwn, node.local, *offset};
  }
  return {};
}

Held hold(const void* at, std::uint64_t bytes) noexcept {
  job::Node& node = job::node();
  const Held held = find_mapped(at, bytes);
  if (held.where != Held::Where::kNowhere) {
    return held;
  }
  const auto offset = node.adopted.hold(at, bytes);
  return offset ? Held{Held::Where::kOwn, node.local, *offset} : Held{};
}

void let_go_of(const void* at, std::uint64_t bytes) noexcept {
  if (find_mapped(at, bytes).where == Held::Where::kNowhere) {
    job::node().adopted.let_go(at, bytes);
  }
}

void* reach_held(const Held& held, int number, std::uint64_t bytes) noexcept {
  const job::Node& node = job::node();
  // What others say of themselves is looked at before it is used.
  switch (held.where) {
    case Held::Where::kOwn:
      return held.number >= 0 && held.number < node.n_local && node.own.holds(held.offset, bytes)
                 ? node.own.at(held.number, held.offset)
                 : nullptr;
    case Held::Where::kHeap: {
      const memory::Range heap = node.space.heap();
      return node.space.mapped() && held.offset <= heap.bytes() && bytes <= heap.bytes() - held.offset
                 ? reinterpret_cast<void*>(number == node.local ? heap.lo + held.offset
                                                                : node.space.peer(heap.lo + held.offset, number))
                 : nullptr;
    }
    case Held::Where::kNowhere: break;
  }
  return nullptr;
}

bool lend(const void* at, std::uint64_t bytes, transport::RegionKey* key) noexcept {
  transport::Transport* const network = job::node().network;
  if (network == nullptr || bytes == 0) {
    return bytes == 0;
  }
  const auto lent = network->lend({const_cast<void*>(at), static_cast<std::size_t>(bytes)});
  *key = lent ? *lent : transport::RegionKey{};
  return static_cast<bool>(lent);
}

void take_back(const transport::RegionKey& key) noexcept {
  if (key != transport::RegionKey{}) {
    job::node().network->take_back(key);
  }
}

}  // namespace weft::win
