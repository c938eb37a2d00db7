// The queue of a PE (src/msg/queue.hpp): what two senders push, each in its order, the receiver pops once and whole.
#include "models/explore.hpp"
#include "models/replaced.hpp"
#include "msg/queue.hpp"

namespace {

using namespace weft;
using explore::Fault;

constexpr int kSenders = 2;
constexpr int kMostNodes = 2;

struct Memory {
  msg::QueueEnds ends;
  msg::QueueNode nodes[kSenders][kMostNodes];
  std::atomic<std::uint32_t> data[kSenders][kMostNodes];
} g_memory;

void set_up() {
  explore::share(g_memory.ends.last, "last");
  explore::share(g_memory.ends.first, "first");
  for (int sender = 0; sender < kSenders; ++sender) {
    for (int k = 0; k < kMostNodes; ++k) {
      explore::share(g_memory.nodes[sender][k].next, "next");
      explore::share(g_memory.nodes[sender][k].full, "full");
      explore::share(g_memory.data[sender][k], "data");
    }
  }
}

msg::QueueNode* at(msg::Spot spot) { return &g_memory.nodes[msg::local_of(spot)][msg::offset_of(spot)]; }

void send(int sender, int k) {
  g_memory.data[sender][k].store(1, std::memory_order_relaxed);
  const bool pushed =
      msg::push(g_memory.ends, msg::spot_of(sender, static_cast<std::uint64_t>(k)), g_memory.nodes[sender][k], at);
  explore::check(pushed, "a sender finds the queue damaged");
}

void receive(int count) {
  int came[kSenders] = {};
  while (count > 0) {
    const msg::Popped popped = msg::pop(g_memory.ends, at);
    explore::check(!popped.is_damaged, "the receiver finds the queue damaged");
    if (popped.is_damaged) {
      return;
    }
    if (popped.node == nullptr) {
      ::sched_yield();
      continue;
    }
    const auto place = popped.node - &g_memory.nodes[0][0];
    const auto sender = place / kMostNodes;
    explore::check(place % kMostNodes == came[sender]++, "a sender's nodes are not in its order");
    explore::check(g_memory.data[sender][place % kMostNodes].load(std::memory_order_relaxed) == 1,
                   "a node is popped before it is written");
    msg::give_back(*popped.node);
    --count;
  }
}

template <int first, int second>
bool run(int pe, int call) {
  if (pe == kSenders) {
    receive(first + second);
    return false;
  }
  send(pe, call);
  return call + 1 < (pe == 0 ? first : second);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      {"one each", 3, set_up, run<1, 1>, true},
      {"two and one", 3, set_up, run<2, 1>, true},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* queue = "msg/queue.hpp";
  std::vector<explore::NamedFault> faults = {
      {"the receiver cuts off without taking its end away", {{queue, "ends.first.store(0, ", kOmitted}}},
      {"the receiver forgets a node that is not linked yet",
       {{queue, "ends.first.store(spot, std::memory_order_relaxed)", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  faults.push_back(
      {"a first node is shown before it is written", {{queue, "ends.first.store(spot, std::memory_order_release)"}}});
  faults.push_back({"a next node is shown before it is written", {{queue, "previous->next.store(spot"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
