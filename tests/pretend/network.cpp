#include "network.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "os/clock.hpp"
#include "os/futex.hpp"
#include "transport/tcp/apply.hpp"

namespace weft::pretend {

using transport::Atomic;
using transport::Memory;
using transport::Pending;
using transport::RegionKey;
using transport::Remote;

Wire* make_wire(int pes) noexcept {
  void* at = ::mmap(nullptr, sizeof(Wire), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    return nullptr;
  }
  auto* wire = static_cast<Wire*>(at);  // all zero, which is what everything begins with
  wire->pes = pes;
  return wire;
}

void free_wire(Wire* wire) noexcept { (void)::munmap(wire, sizeof(Wire)); }

void Wire::ring(int pe) noexcept {
  of[pe].bell.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake_all(of[pe].bell);
}

namespace {

// Nobody else reaches or changes what a PE lends.
class RegionsLocked {
 public:
  explicit RegionsLocked(Pe& pe) noexcept : pe_(pe) {
    while (pe_.regions_locked.exchange(true, std::memory_order_acquire)) {
      ::sched_yield();
    }
  }
  RegionsLocked(const RegionsLocked&) = delete;
  RegionsLocked& operator=(const RegionsLocked&) = delete;
  ~RegionsLocked() { pe_.regions_locked.store(false, std::memory_order_release); }

 private:
  Pe& pe_;
};

constexpr std::uint64_t slot_of(std::uint64_t key) noexcept { return key % kMostRegions; }

}  // namespace

Network::Network(Wire& wire, const transport::Setup& setup, const Manner& manner)
    : LateAnswers(progress_mutex_),
      wire_(wire),
      setup_(setup),
      manner_(manner),
      random_(manner.seed * 1000 + static_cast<std::uint64_t>(setup.me)),
      peers_(static_cast<std::size_t>(wire.pes)),
      last_key_(random_() / kMostRegions * kMostRegions) {}

bool Network::flips(int one_in) noexcept {
  const std::scoped_lock lock(mutex_);
  return happens(one_in);
}

void Network::close() noexcept {
  const RegionsLocked lock(wire_.of[setup_.me]);
  for (Region& region : wire_.of[setup_.me].regions) {
    region.key = 0;
  }
}

base::Result<RegionKey> Network::lend(const Memory& memory) noexcept {
  const std::scoped_lock mutex(mutex_);
  const RegionsLocked lock(wire_.of[setup_.me]);
  for (std::uint64_t slot = 0; slot < kMostRegions; ++slot) {
    Region& region = wire_.of[setup_.me].regions[slot];
    if (region.key == 0) {
      last_key_ += kMostRegions;
      region = {last_key_ + slot, static_cast<std::byte*>(memory.at), memory.bytes};
      return RegionKey{region.key, 0};
    }
  }
  return base::Error::make("there are %d regions already", kMostRegions);
}

void Network::take_back(const RegionKey& key) noexcept {
  const RegionsLocked lock(wire_.of[setup_.me]);
  Region& region = wire_.of[setup_.me].regions[slot_of(key.key)];
  if (region.key == key.key) {
    region.key = 0;
  }
}

// --- operations ------------------------------------------------------------------------------------------------------

Network::Operation& Network::begin(const char* name, const Remote& place, Pending& pending) noexcept {
  Operation& operation = peer(place.pe).operations.emplace_back();
  operation.name = name;
  operation.place = place;
  // Relaxed: a delay, whose length is nobody's affair.
  operation.due = wire_.of[place.pe].progressed.load(std::memory_order_relaxed) + random_() % 3;
  operation.count = pending.begin();
  wire_.ring(place.pe);
  return operation;
}

void Network::put(const Remote& to, const void* from, std::size_t bytes, transport::Source source,
                  Pending& pending) noexcept {
  const std::scoped_lock lock(mutex_);
  Operation& operation = begin("a put", to, pending);
  operation.from = static_cast<const std::byte*>(from);
  operation.bytes = bytes;
  if (source != transport::Source::kStays) {
    operation.copy.assign(operation.from, operation.from + bytes);
    operation.from = operation.copy.data();
  }
}

void Network::put_then(const Remote& to, const void* from, std::size_t bytes, bool reusable, const Remote& signal,
                       const Atomic& what, Pending& pending) noexcept {
  const std::scoped_lock lock(mutex_);
  Operation& operation = begin("a put with a signal", to, pending);
  operation.from = static_cast<const std::byte*>(from);
  operation.bytes = bytes;
  if (reusable) {
    operation.copy.assign(operation.from, operation.from + bytes);
    operation.from = operation.copy.data();
  }
  operation.has_atomic = true;
  operation.at = signal;
  operation.what = what;
}

void Network::get(void* to, const Remote& from, std::size_t bytes, Pending& pending) noexcept {
  const std::scoped_lock lock(mutex_);
  Operation& operation = begin("a get", from, pending);
  operation.to = static_cast<std::byte*>(to);
  operation.bytes = bytes;
}

void Network::atomic(const Remote& at, const Atomic& what, void* fetched, Pending& pending) noexcept {
  const std::scoped_lock lock(mutex_);
  Operation& operation = begin("an atomic operation", at, pending);
  operation.has_atomic = true;
  operation.at = at;
  operation.what = what;
  operation.fetched = fetched;
}

std::byte* Network::reach(const Remote& place, std::size_t bytes) noexcept {
  const Region& region = wire_.of[place.pe].regions[slot_of(place.key.key)];
  const bool is_there = place.key.key != 0 && region.key == place.key.key && place.offset <= region.bytes &&
                        bytes <= region.bytes - place.offset;
  return is_there ? region.at + place.offset : nullptr;
}

// A word at once, as it may be a flag that somebody reads meanwhile; else any part, and the atomic operation at last.
bool Network::go_on_with(Operation& operation) noexcept {
  const RegionsLocked lock(wire_.of[operation.place.pe]);
  std::byte* at = operation.done < operation.bytes ? reach(operation.place, operation.bytes) : nullptr;
  const bool moves = operation.done < operation.bytes;
  if (moves ? at == nullptr : reach(operation.at, transport::bytes_of(operation.what.type)) == nullptr) {
    setup_.failed(operation.name, operation.place.pe, "it has no such memory");
    return true;
  }
  if (moves) {
    const std::size_t left = operation.bytes - operation.done;
    const std::size_t part = operation.bytes <= 8 || flips(2) ? left : std::max<std::size_t>(left / 2, 1);
    at += operation.done;
    // Both ways: what is behind this operation is not before it.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (operation.is_get()) {
      std::memcpy(operation.to + operation.done, at, part);
    } else if (operation.bytes <= 8) {
      transport::tcp::store_word(at, operation.from, operation.bytes);
    } else {
      std::memcpy(at, operation.from + operation.done, part);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    operation.done += part;
    return operation.done == operation.bytes && !operation.has_atomic;
  }
  const std::uint64_t before =
      transport::tcp::apply(operation.what, reach(operation.at, transport::bytes_of(operation.what.type)));
  if (operation.fetched != nullptr) {
    std::memcpy(operation.fetched, &before, transport::bytes_of(operation.what.type));
  }
  return true;
}

// Only the first of those that have an order may go on. Nobody else takes one out: this has the turn.
bool Network::operate(int pe) noexcept {
  std::list<Operation>& operations = peer(pe).operations;
  bool has_done = false;
  bool is_first = true;
  std::unique_lock lock(mutex_);
  for (auto at = operations.begin(); at != operations.end();) {
    const bool may = at->is_get() || is_first || !manner_.keeps_order;
    is_first = is_first && at->is_get();
    const bool is_due = wire_.of[pe].progressed.load(std::memory_order_relaxed) >= at->due;
    if (!is_due) {
      wire_.ring(pe);
    }
    if (!may || !is_due || !happens(manner_.delay)) {
      ++at;
      continue;
    }
    lock.unlock();
    const bool is_complete = go_on_with(*at);
    lock.lock();
    has_done = true;
    if (is_complete) {
      at->count->end();
      at = operations.erase(at);
    }
  }
  return has_done;
}

// --- going on --------------------------------------------------------------------------------------------------------

void Network::progress() noexcept {
  bool has_done = false;
  {
    const Turn turn(*this, std::try_to_lock);
    if (!turn.is_mine()) {
      return;
    }
    Pe& own = wire_.of[setup_.me];
    seen_.store(own.bell.load(std::memory_order_seq_cst), std::memory_order_relaxed);
    own.progressed.fetch_add(1, std::memory_order_relaxed);
    for (int pe = 0; pe < wire_.pes; ++pe) {
      if (manner_.drops != 0 && pe != setup_.me && flips(manner_.drops)) {
        drop(pe);
      }
      look_for_drop(pe);
      has_done = operate(pe) || has_done;
      {
        const std::scoped_lock lock(mutex_);
        has_done = send_some(pe) || has_done;
      }
      has_done = receive_some(pe) || has_done;
    }
  }
  if (!has_done) {
    ::sched_yield();  // the others may need this processor
  }
}

// What was put off by the seed too: nobody rings for that again.
bool Network::has_something() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    for (const Peer& other : peers_) {
      if (!other.operations.empty() || !other.outgoing.empty()) {
        return true;
      }
    }
  }
  for (int pe = 0; pe < wire_.pes; ++pe) {
    for (auto& lane : way(pe, setup_.me).entries) {
      for (const Entry& entry : lane) {
        if (entry.is_here.load(std::memory_order_relaxed)) {
          return true;
        }
      }
    }
  }
  return false;
}

bool Network::sleep(int timeout_ms) noexcept {
  const std::uint64_t until = os::now_ns() + static_cast<std::uint64_t>(timeout_ms) * 1'000'000;
  const Pe& own = wire_.of[setup_.me];
  for (;;) {
    if (has_something()) {
      return true;
    }
    const std::uint32_t seen = seen_.load(std::memory_order_relaxed);
    if (own.bell.load(std::memory_order_seq_cst) != seen) {
      return true;
    }
    const std::uint64_t now = os::now_ns();
    if (now >= until) {
      return false;
    }
    os::futex_wait(own.bell, seen, until - now);
  }
}

}  // namespace weft::pretend
