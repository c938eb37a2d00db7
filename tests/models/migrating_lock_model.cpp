// The lock that migrates (src/lock/migrating.hpp) and its agent: a writer is alone and sees what all before it did;
// everybody gets the lock. One PE is the agent, the others take the lock, from its node or from elsewhere.
//
// Of the network's operations those on a word that only the network changes are one step, as they are atomic against
// each other. On `admitted`, which processors change too, an addition is a look and a store. Any other word it must not
// change.
#include <new>

#include "lock/agent.hpp"
#include "lock/keys.hpp"
#include "lock/migrating.hpp"
#include "lock/policy.hpp"
#include "models/explore.hpp"
#include "models/protected.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::Fault;
using lock::Mode;

struct Memory {
  lock::LockHead head;
  std::atomic<std::uint64_t> key;
  lock::LockWords words;
  explore::Protected inside;
  std::atomic<std::uint32_t> done;
} g_memory;

constexpr int kAgent = 0;
constexpr sync::Patience kEndless{0, UINT64_MAX, 0, 0, nullptr, nullptr, nullptr};

// The agent's memory is on its stack, where the explorer sees it.
struct Arena {
  alignas(64) std::byte bytes[512]{};
  std::size_t used = 0;
};
Arena* g_arena = nullptr;

class Wire final : public transport::Transport {
 public:
  const char* name() const noexcept override { return "explored"; }
  bool amo_cpu_coherent() const noexcept override { return false; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t) noexcept override { return {}; }
  base::Result<void> open(boot::PeerCard*) noexcept override { return {}; }
  base::Result<transport::RegionKey> lend(const transport::Memory&) noexcept override { return transport::RegionKey{}; }
  void take_back(const transport::RegionKey&) noexcept override {}
  void close() noexcept override {}
  void put(const transport::Remote&, const void*, std::size_t, transport::Source,
           transport::Pending&) noexcept override {}
  void put_then(const transport::Remote&, const void*, std::size_t, bool, const transport::Remote&,
                const transport::Atomic&, transport::Pending&) noexcept override {}
  bool keeps_order() const noexcept override { return false; }
  transport::Told tell(int, const transport::Message&, transport::Pending&) noexcept override {
    return transport::Told::kAgain;
  }
  void progress() noexcept override {}
  bool sleep(int) noexcept override { return false; }

  void get(void* to, const transport::Remote& from, std::size_t, transport::Pending&) noexcept override {
    std::byte* const at = at_of(from);
    const auto near_done = explore::load(at + offsetof(lock::LockWords, near_done), 4, std::memory_order_acquire,
                                         explore::Site::current());
    const std::uint64_t words[] = {look(at),
                                   0,
                                   0,
                                   look(at + offsetof(lock::LockWords, near)),
                                   look(at + offsetof(lock::LockWords, admitted)),
                                   near_done << 32,
                                   look(at + offsetof(lock::LockWords, far_done))};
    std::memcpy(to, words, sizeof words);
  }
  void atomic(const transport::Remote& where, const transport::Atomic& what, void* fetched,
              transport::Pending&) noexcept override {
    std::byte* const at = at_of(where);
    const std::size_t bytes = what.type == transport::Type::k64 ? 8 : 4;
    const explore::Site site = explore::Site::current();
    std::uint64_t before = 0;
    if (what.op == transport::Op::kFetch) {
      before = explore::load(at, bytes, std::memory_order_acquire, site);
    } else if (at == reinterpret_cast<std::byte*>(&g_memory.words.admitted)) {
      before = what.op == transport::Op::kAdd ? explore::load(at, bytes, std::memory_order_acquire, site) : 0;
      explore::store(at, bytes, before + what.operand, std::memory_order_release, site);
    } else {
      explore::check(at == reinterpret_cast<std::byte*>(&g_memory.words.far) ||
                         at == reinterpret_cast<std::byte*>(&g_memory.words.wanted) ||
                         at == reinterpret_cast<std::byte*>(&g_memory.words.far_done) ||
                         at == reinterpret_cast<std::byte*>(&g_memory.head.asks),
                     "the network changes a word of the processors");
      const auto change = what.op == transport::Op::kAdd   ? explore::Change::kAdd
                          : what.op == transport::Op::kSet ? explore::Change::kSet
                                                           : explore::Change::kCompareSwap;
      before = explore::update(at, bytes, change, what.operand, what.compare, std::memory_order_seq_cst, site);
    }
    if (fetched != nullptr) {
      std::memcpy(fetched, &before, bytes);
    }
  }

 private:
  static std::byte* at_of(const transport::Remote& where) noexcept {
    return reinterpret_cast<std::byte*>(&g_memory) + where.offset;
  }
  static std::uint64_t look(const std::byte* at) noexcept {
    return explore::load(at, 8, std::memory_order_acquire, explore::Site::current());
  }
};

Wire g_wire;
void complete(const transport::Pending&) noexcept {}

enum class Begins : std::uint8_t { kAtProcessors, kAtNetwork, kReturning };

template <Begins begins>
void set_up() {
  constexpr bool network_first = begins != Begins::kAtProcessors;
  g_memory.key.store(lock::LockKey::of(1, network_first));
  g_memory.head.found.store(network_first ? 1 : 0);
  // The node has taken the lock by the network so often that the agent brings it back with its first look.
  constexpr std::uint32_t kUses = begins == Begins::kReturning ? lock::LockPolicy::kPays : 0;
  g_memory.words.far.store(lock::ticket::counter(kUses, 0));
  g_memory.words.admitted.store(std::uint64_t{kUses} << 32);
  g_memory.words.near_by_far.store(kUses);
  explore::share(g_memory.words.far, "far");
  explore::share(g_memory.words.wanted, "wanted");
  explore::share(g_memory.words.shift, "shift");
  explore::share(g_memory.words.near, "near");
  explore::share(g_memory.words.admitted, "admitted");
  explore::share(g_memory.words.near_done, "near_done");
  explore::share(g_memory.words.far_done, "far_done");
  explore::share(g_memory.words.near_by_far, "near_by_far");
  explore::share(g_memory.head.asks, "asks");
  explore::share(g_memory.head.moves, "moves");
  g_memory.inside.share_it();
  explore::share(g_memory.done, "done");
}

transport::Remote at(std::size_t offset) { return {0, {}, offset}; }

bool be_agent(std::uint32_t others) {
  Arena arena;
  lock::LockAgent agent;
  g_arena = &arena;
  (void)agent.open(g_wire, at(offsetof(Memory, words)), g_memory.head, &g_memory.key, &g_memory.words, 1);
  g_arena = nullptr;
  while (g_memory.done.load(std::memory_order_relaxed) != others) {
    agent.serve();
    ::sched_yield();
  }
  return false;
}

enum class How : std::uint8_t { kSets, kTests };

void work(Mode mode) {
  using explore::check;
  using explore::count;
  constexpr int kReaders = 2;  // counts below are those of Protected
  if (mode == Mode::kExclusive) {
    check(count(kReaders, 0) == 0, "a writer beside a reader");
    g_memory.inside.work();
    return;
  }
  count(kReaders, 1);
  check(count(0, 0) == 0, "a reader beside a writer");
  check(static_cast<int>(g_memory.inside.data.load(std::memory_order_relaxed)) == count(1, 0),
        "the last writer's work is not seen");
  count(kReaders, -1);
}

// By set, or by one test.
void use(lock::NearLock lock, How how, Mode mode) {
  if (how == How::kSets) {
    lock.lock(mode, {});
  } else if (!lock.try_lock(mode)) {
    return;
  }
  work(mode);
  lock.unlock(mode);
}

void use(lock::FarLock lock, Mode mode) {
  transport::Pending pending;
  lock.lock(mode, {}, pending);
  work(mode);
  lock.unlock(mode, pending);
}

enum class Reads : std::uint8_t { kNobody, kNear, kFar, kAll };

// The first `near` of the others are of the node, and the first one of all uses the lock in its own way. From elsewhere
// none tests: it asks again and again, so that would not come to an end.
template <int near, int pes, int rounds, Begins begins, How first, Reads reads>
bool run(int pe, int call) {
  if (pe == kAgent) {
    return be_agent(pes - 1);
  }
  const lock::LockMeans means{g_wire, kEndless, complete};
  const lock::LockPlace place{at(offsetof(Memory, words)), at(offsetof(Memory, head)), begins != Begins::kAtProcessors,
                              reads != Reads::kNobody};
  const bool is_near = pe <= near;
  const Mode mode =
      reads == Reads::kAll || reads == (is_near ? Reads::kNear : Reads::kFar) ? Mode::kShared : Mode::kExclusive;
  const How how = pe == kAgent + 1 ? first : How::kSets;
  if (is_near) {
    use(lock::NearLock(means, place, g_memory.words, g_memory.head), how, mode);
  } else {
    use(lock::FarLock(means, place), mode);
  }
  if (call + 1 < rounds) {
    return true;
  }
  g_memory.done.fetch_add(1, std::memory_order_release);
  return false;
}

template <int near, int pes, int rounds, Begins begins, How first = How::kSets, Reads reads = Reads::kNobody>
explore::Model model(const char* name) {
  return {name, pes, set_up<begins>, run<near, pes, rounds, begins, first, reads>, true, begins == Begins::kReturning};
}

}  // namespace

namespace weft::lock {
void rest_from_looking(const sync::Patience&, std::uint32_t, std::uint64_t) noexcept { ::sched_yield(); }
}  // namespace weft::lock

void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  if (g_arena == nullptr) {
    return std::malloc(bytes);
  }
  void* const at = g_arena->bytes + g_arena->used;
  g_arena->used += (bytes + 15) & ~std::size_t{15};
  return g_arena->used <= sizeof g_arena->bytes ? at : nullptr;
}
void operator delete[](void*) noexcept {}
void operator delete[](void*, std::size_t) noexcept {}

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      model<1, 3, 1, Begins::kAtProcessors>("one of the node, one from elsewhere"),
      model<1, 3, 1, Begins::kAtNetwork>("the same, begun with the network"),
      model<1, 3, 1, Begins::kReturning>("the same, while it returns to the processors"),
      model<1, 3, 1, Begins::kAtProcessors, How::kTests>("the one of the node tests"),
      model<1, 3, 1, Begins::kAtProcessors, How::kSets, Reads::kNear>("a reader of the node, a writer from elsewhere"),
      model<1, 3, 1, Begins::kAtProcessors, How::kSets, Reads::kFar>("a writer of the node, a reader from elsewhere"),
      model<1, 3, 1, Begins::kAtNetwork, How::kSets, Reads::kFar>("the same, begun with the network"),
      model<1, 3, 1, Begins::kAtProcessors, How::kSets, Reads::kAll>("two readers"),
      model<1, 3, 1, Begins::kAtProcessors, How::kTests, Reads::kFar>("a writer of the node tests beside a reader"),
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* lock = "lock/migrating.cpp";
  const char* agent = "lock/agent.cpp";
  const std::vector<explore::NamedFault> faults = {
      {"the agent does not close the processors' counter", {{agent, "words_[at].near.fetch_add(1", kOmitted}}},
      {"the agent does not answer", {{agent, "words.shift.store(", kOmitted}}},
      {"no ticket is taken on the node", {{lock, "words_.near.fetch_add(ticket::kOne", kOmitted}}},
      {"the lock is not passed on", {{lock, "words_.admitted.store(", kOmitted}}},
      {"a reader of the node does not count that it leaves", {{lock, "words_.near_done.fetch_add(1", kOmitted}}},
      {"a writer does not see readers that have left", {{lock, "words_.far_done.load(", kOmitted}}},
      {"the processors' counter is not opened again", {{agent, "words.near.compare_exchange_weak", kOmitted}}, true},
  };
  return explore::run_all(models, faults, argc, argv);
}
