// The ticket lock (src/sync/ticket_lock.hpp): one holder at a time, who sees what the last one did; nobody sleeps on.
#include "sync/ticket_lock.hpp"

#include "models/explore.hpp"
#include "models/protected.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::Fault;

struct Memory {
  alignas(8) std::uint64_t word;  // of either lock
  explore::Protected inside;
  std::atomic<std::uint32_t> all_sleepers;
} g_memory;

// The small lock begins just before its tickets wrap.
template <class Lock>
void set_up() {
  g_memory.word = std::is_same_v<Lock, sync::SmallTicketLock> ? 0xffffffffU : 0;
  explore::share(&g_memory.word, std::is_same_v<Lock, sync::SmallTicketLock> ? 4 : 8, "lock");
  explore::share(g_memory.all_sleepers, "all_sleepers");
  g_memory.inside.share_it();
}

template <class Lock, int rounds>
bool by_lock(int, int call) {
  const sync::Patience patience;
  Lock lock(&g_memory.word, g_memory.all_sleepers);
  lock.lock(patience, {});
  explore::check(lock.held(), "held, and says that it is not");
  g_memory.inside.work();
  lock.unlock();
  return call + 1 < rounds;
}

// PE 0 only tries.
template <class Lock>
bool with_try(int pe, int call) {
  if (pe != 0) {
    return by_lock<Lock, 2>(pe, call);
  }
  Lock lock(&g_memory.word, g_memory.all_sleepers);
  if (lock.try_lock()) {
    g_memory.inside.work();
    lock.unlock();
  }
  return call + 1 < 2;
}

}  // namespace

int main(int argc, char** argv) {
  using Small = sync::SmallTicketLock;
  using Large = sync::TicketLock;
  const std::vector<explore::Model> models = {
      {"two PEs", 2, set_up<Large>, by_lock<Large, 2>},
      {"two PEs, one of which tries", 2, set_up<Large>, with_try<Large>},
      {"two PEs, the small lock", 2, set_up<Small>, by_lock<Small, 2>},
      {"three PEs", 3, set_up<Large>, by_lock<Large, 1>},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* lock = "sync/ticket_lock.cpp";
  std::vector<explore::NamedFault> faults = {
      {"the sleeper does not announce itself", {{lock, "all_sleepers_->fetch_add", kOmitted}}},
      {"no ticket is taken", {{lock, "word_->fetch_add(H::kOneTicket", kOmitted}}},
      {"the lock is not passed on", {{lock, "serving().fetch_add(1", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  // On x86 each atomic operation is a fence, and each look an acquire.
  faults.push_back({"unlock has no fence",
                    {{lock, "std::atomic_thread_fence(std::memory_order_seq_cst);", Fault::Kind::kRelaxed, 2}}});
  faults.push_back({"taking a ticket does not acquire", {{lock, "word_->fetch_add(H::kOneTicket"}}});
  faults.push_back({"waiting does not acquire", {{lock, "serving().load(std::memory_order_acquire)"}}});
  faults.push_back({"trying does not acquire", {{lock, "word_->compare_exchange_weak"}}});
  faults.push_back({"unlock does not release", {{lock, "serving().fetch_add(1"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
