#include "lock/table.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/lines.hpp"
#include "job/node.hpp"
#include "lock/keys.hpp"
#include "rma/target.hpp"

namespace weft::lock {
namespace {

constexpr std::size_t kMost = 1024;
constexpr std::size_t kBytesEach = sizeof(std::uint64_t) + sizeof(LockWords);
constexpr std::size_t kSmallPart = 512;  // at most so small a part of the heap
constexpr std::size_t kPage = 4096;

// What this PE has found, by place: lock << 12 | (entry + 1) << 1 | whether it began with the network, or kNoRoom
// instead. 0 where nothing is known. A lock that drives another one out of its line costs that one a search.
constexpr std::uint64_t kNoRoom = 0xfff;
constexpr std::size_t kKnown = 256;
static_assert((kMost << 1 | 1) < kNoRoom);

struct Table {
  std::size_t entries = 0;  // a power of two; 0: nothing migrates
  std::uint64_t offset = 0;
  LockAgent agent;
  std::array<std::atomic<std::uint64_t>, kKnown> known;
};
constinit Table g_table{};

// Whole buckets; none in a heap so small that its part would not hold one.
std::size_t entries_for(std::size_t heap_bytes) noexcept {
  const std::size_t entries = std::min(kMost, std::bit_floor(heap_bytes / kSmallPart / kBytesEach));
  return entries < LockKeys::kBucket ? 0 : entries;
}

constexpr std::uint64_t key_offset(std::size_t entry) noexcept {
  return sizeof(LockHead) + entry * sizeof(std::uint64_t);
}
constexpr std::uint64_t words_offset(std::size_t entries, std::size_t entry) noexcept {
  return key_offset(entries) + entry * sizeof(LockWords);
}

// The place of a symmetric word, the same on all PEs and never 0.
std::uint64_t key_of(const void* lock) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(lock);
  const memory::Space& space = job::node().space;
  return (space.heap().holds(at) ? (at - space.heap().lo) << 1 : (at - space.statics().lo) << 1 | 1U) + 1;
}

transport::Remote at_home(int home, std::uint64_t offset) noexcept {
  return rma::in_heap(g_table.offset + offset, home);
}

template <class T>
T* on_node(int number, std::uint64_t offset) noexcept {
  const memory::Space& space = job::node().space;
  return reinterpret_cast<T*>(space.peer(space.heap().lo + g_table.offset + offset, number));
}

// What find_lock_entry() says of the lock, as it is kept in `known`.
std::uint64_t find_entry(std::uint64_t lock, int home, const LockMeans& means) noexcept {
  const int number = job::node().here(home);
  LockKeys keys{g_table.entries, at_home(home, key_offset(0)), nullptr};
  if (number >= 0) {
    keys.here = on_node<std::atomic<std::uint64_t>>(number, key_offset(0));
  }
  const LockFound found = find_lock_entry(means, keys, lock);
  if (found.entry == LockFound::kNone) {
    base::debug("no room for another lock that migrates at PE %d: it is always taken through the network", home);
    return kNoRoom;
  }
  if (number >= 0 && found.network_first) {
    // Relaxed, as head.moves: the agent is to take charge of the lock before it may be asked to bring it here, and
    // whatever this PE does next with the lock brings news of it through the network.
    on_node<LockHead>(number, 0)->found.fetch_add(1, std::memory_order_relaxed);
  }
  return (found.entry + 1) << 1 | (found.network_first ? 1U : 0U);
}

}  // namespace

// The guard is as large as the table: an index that is too large by as much as that ends with a line.
LockTableBytes lock_table_bytes(std::size_t heap_bytes) noexcept {
  const std::size_t entries = entries_for(heap_bytes);
  if (entries == 0) {
    return {};
  }
  const std::size_t bytes = (words_offset(entries, entries) + kPage - 1) & ~(kPage - 1);
  return {bytes, bytes};
}

bool find_lock(const void* lock, int home, const LockMeans& means, LockEntry* entry) noexcept {
  if (g_table.entries == 0) {
    return false;
  }
  const std::uint64_t key = key_of(lock);
  // Relaxed: it is found by value, and what it names is there for good.
  std::atomic<std::uint64_t>& line = g_table.known[hash_of_lock(key) % kKnown];
  std::uint64_t known = line.load(std::memory_order_relaxed);
  if (known >> 12 != key) [[unlikely]] {
    known = key << 12 | find_entry(key, home, means);
    line.store(known, std::memory_order_relaxed);
  }
  if ((known & kNoRoom) == kNoRoom) {
    return false;
  }
  const std::uint64_t offset = words_offset(g_table.entries, ((known & kNoRoom) >> 1) - 1);
  const int number = job::node().here(home);
  entry->place = {at_home(home, offset), at_home(home, 0), (known & 1) != 0};
  entry->words = number < 0 ? nullptr : on_node<LockWords>(number, offset);
  entry->head = number < 0 ? nullptr : on_node<LockHead>(number, 0);
  return true;
}

bool open_lock_table(transport::Transport& network) noexcept {
  const memory::Range heap = job::node().space.heap();
  const std::size_t bytes = lock_table_bytes(heap.bytes()).table;
  if (bytes == 0) {
    return true;
  }
  g_table.offset = heap.bytes() - bytes;
  std::memset(reinterpret_cast<void*>(heap.hi - bytes), 0, bytes);
  for (auto& line : g_table.known) {
    line.store(0, std::memory_order_relaxed);
  }
  const std::size_t entries = entries_for(heap.bytes());
  auto* own = reinterpret_cast<std::byte*>(heap.hi - bytes);
  if (!g_table.agent.open(network, at_home(job::node().me, words_offset(entries, 0)), *reinterpret_cast<LockHead*>(own),
                          reinterpret_cast<std::atomic<std::uint64_t>*>(own + key_offset(0)),
                          reinterpret_cast<LockWords*>(own + words_offset(entries, 0)), entries)) {
    return false;
  }
  g_table.entries = entries;
  return true;
}

void close_lock_table() noexcept {
  if (g_table.entries != 0) {
    g_table.agent.close([] { job::node().network->progress(); });
    g_table.entries = 0;
    base::debug("locks at this PE left the processors %llu times and came back %llu times",
                static_cast<unsigned long long>(g_table.agent.openings()),
                static_cast<unsigned long long>(g_table.agent.closings()));
  }
}

void serve_locks() noexcept { g_table.agent.serve(); }

}  // namespace weft::lock
