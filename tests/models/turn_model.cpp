// Whose the network is (src/progress/turn.hpp): a PE that polls and then does not is served for, whether it has said
// that it will not poll or that it may be back at once. Long looks do not end by themselves here, short ones do.
#include "progress/turn.hpp"

#include "models/explore.hpp"
#include "models/replaced.hpp"
#include "os/futex.hpp"

namespace {

using namespace weft;
using explore::Fault;
using progress::Turn;

struct Memory {
  Turn turn;
} g_memory;

void set_up() {
  Turn& turn = g_memory.turn;
  explore::share(turn.polls, "polls");
  explore::share(turn.left_at, "left_at");
  explore::share(turn.what, "what");
  explore::share(turn.wanted, "wanted");
  explore::share(turn.away, "away");
  explore::share(turn.soon, "soon");
  explore::share(turn.looks_soon, "looks_soon");
}

// What the PE does behind each of its polls.
enum class Says : std::uint8_t { kNothing, kSoon, kLeft };

// PE 1 is the thread: until it has taken over behind the last poll.
template <Says... says>
bool go_on(int pe, int call) {
  constexpr Says kSays[] = {says...};
  constexpr int kPolls = sizeof...(says);
  Turn& turn = g_memory.turn;
  if (pe == 0) {
    turn.poll();
    if (kSays[call] == Says::kSoon) {
      turn.look_soon();
    } else if (kSays[call] == Says::kLeft) {
      turn.take_over(Turn::While::kComputes);
    }
    return call + 1 < kPolls;
  }
  for (std::uint64_t seen = 0;;) {
    (void)turn.keep_away(&seen, [](const std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint64_t ns) {
      if (ns > Turn::kSoonNs) {
        explore::futex_wait(&word, value, os::kEveryWaiter);
      }
    });
    // It sleeps on the network, and looks now and then.
    while (turn.serves(seen)) {
      if (turn.polls.load(std::memory_order_relaxed) == kPolls) {
        return false;
      }
      ::sched_yield();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr Says kNothing = Says::kNothing;
  constexpr Says kSoon = Says::kSoon;
  constexpr Says kLeft = Says::kLeft;
  const std::vector<explore::Model> models = {
      {"who says so leaves it", 2, set_up, go_on<kLeft, kLeft>, true},
      {"who may be back is looked for", 2, set_up, go_on<kSoon>, true},
      {"again and again", 2, set_up, go_on<kSoon, kSoon, kSoon>, true},
      {"and between polls of which nobody says anything", 2, set_up, go_on<kSoon, kNothing, kSoon>, true},
      {"by turns", 2, set_up, go_on<kSoon, kLeft, kSoon>, true},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* header = "progress/turn.hpp";
  const char* source = "progress/turn.cpp";
  const char* fence = "std::atomic_thread_fence";
  std::vector<explore::NamedFault> faults = {
      {"who leaves it does not say so", {{source, "wanted.fetch_add(1", kOmitted, 1}}},
      {"who may be back does not say so", {{source, "soon.store(true", kOmitted}}},
      {"who may be back wakes nobody", {{source, "wanted.fetch_add(1", kOmitted, 2}}},
      {"the thread does not say that it is away", {{header, "away.store(true", kOmitted}}},
      {"what the last look was is taken for this one", {{header, "looks_soon.store(false", kOmitted}}},
      {"who may be back has no fence", {{source, fence, Fault::Kind::kRelaxed, 2}}},
  };
#if !WEFT_EXPLORES_X86
  // On x86 each atomic operation is a fence, each store releases and each look acquires.
  faults.push_back({"who leaves it has no fence", {{source, fence}}});
  faults.push_back({"the thread has no fence", {{header, fence}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
