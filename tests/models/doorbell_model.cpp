// Sleepers and their bell (src/sync/doorbell.hpp, src/sync/waiter.hpp): news by a store and a fence, or by an atomic
// operation, wakes everybody who sleeps.
#include "models/explore.hpp"
#include "models/replaced.hpp"
#include "sync/waiter.hpp"

namespace {

using namespace weft;
using explore::Fault;

struct Memory {
  sync::Doorbell bell;
  std::atomic<std::uint32_t> news;
  std::atomic<std::uint32_t> data;
  std::atomic<std::uint32_t> all_sleepers;
} g_memory;

void set_up() {
  explore::share(g_memory.bell.rings, "rings");
  explore::share(g_memory.bell.sleepers, "sleepers");
  explore::share(g_memory.news, "news");
  explore::share(g_memory.data, "data");
  explore::share(g_memory.all_sleepers, "all_sleepers");
}

void sleeper(std::uint32_t awaited) {
  const sync::Patience patience;
  sync::wait(patience, g_memory.bell, &g_memory.all_sleepers, {},
             [&] { return g_memory.news.load(std::memory_order_acquire) >= awaited; });
  explore::check(g_memory.data.load(std::memory_order_relaxed) >= awaited, "news without what they are of");
}

// PE 0 has the news, the others wait for all of them one after the other.
template <int rounds>
bool by_store(int pe, int call) {
  const auto round = static_cast<std::uint32_t>(call + 1);
  if (pe == 0) {
    g_memory.data.store(round, std::memory_order_relaxed);
    g_memory.news.store(round, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // what ring() asks for
    sync::ring(g_memory.bell);
  } else {
    sleeper(round);
  }
  return round < rounds;
}

template <int rounds>
bool by_update(int pe, int call) {
  const auto round = static_cast<std::uint32_t>(call + 1);
  if (pe == 0) {
    g_memory.data.store(round, std::memory_order_relaxed);
    g_memory.news.fetch_add(1, std::memory_order_seq_cst);
    sync::ring(g_memory.bell);
  } else {
    sleeper(round);
  }
  return round < rounds;
}

// Two that ring, one that waits for both.
bool two_ring(int pe, int) {
  if (pe < 2) {
    g_memory.data.fetch_add(1, std::memory_order_relaxed);
    g_memory.news.fetch_add(1, std::memory_order_seq_cst);
    sync::ring(g_memory.bell);
  } else {
    sleeper(2);
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      {"a store, one sleeper", 2, set_up, by_store<3>},
      {"a store, two sleepers", 3, set_up, by_store<1>},
      {"an update, one sleeper", 2, set_up, by_update<3>},
      {"an update, two sleepers", 3, set_up, by_update<1>},
      {"two that ring", 3, set_up, two_ring},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* waiter = "sync/waiter.hpp";
  std::vector<explore::NamedFault> faults = {
      {"the sleeper does not announce itself", {{waiter, "bell.sleepers.fetch_add", kOmitted}}},
      {"the ringer does not change the bell", {{"sync/doorbell.hpp", "bell.rings.fetch_add", kOmitted}}},
  };
#if WEFT_EXPLORES_X86
  faults.push_back({"the ringer has no fence", {{"../tests/models/doorbell_model.cpp", "// what ring() asks for"}}});
#else
  faults.push_back({"the ringer has no fence",
                    {{"../tests/models/doorbell_model.cpp", "// what ring() asks for"},
                     {"sync/doorbell.hpp", "std::atomic_thread_fence"}}});
  // On x86 the announcement is the fence, and each look an acquire.
  faults.push_back({"the sleeper has no fence", {{waiter, "std::atomic_thread_fence(std::memory_order_seq_cst)"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
