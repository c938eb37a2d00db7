// A large message that both sides copy (src/msg/claims.hpp, together.cpp): each piece is copied by one of them, the
// receiver ends when all are there and nobody writes any more, and the sender's memory is its own again then. What the
// words hold of the message before, in the same ticket, does not count.
#include "msg/claims.hpp"

#include "models/explore.hpp"
#include "models/replaced.hpp"

namespace {

using namespace weft;
using explore::check;
using explore::count;
using explore::Fault;

constexpr std::uint32_t kMostPieces = 4;
enum Answer : std::uint32_t { kNone, kTogether, kReceived };
// Where the sender, or the receiver, can go on no more.
enum class Stops : std::uint8_t { kNobody, kSender, kReceiver };

struct Memory {
  std::atomic<std::uint32_t> head;  // how many messages were sent
  std::atomic<std::uint32_t> answer;
  std::atomic<std::uint64_t> claims;
  std::atomic<std::uint64_t> written;
  std::atomic<std::uint32_t> source[kMostPieces];
  std::atomic<std::uint32_t> target[kMostPieces];
} g_memory;

// Beside how often each piece was copied.
enum Count : int { kEnded = kMostPieces };

void set_up() {
  explore::share(g_memory.head, "head");
  explore::share(g_memory.answer, "answer");
  explore::share(g_memory.claims, "claims");
  explore::share(g_memory.written, "written");
  for (std::uint32_t k = 0; k < kMostPieces; ++k) {
    explore::share(g_memory.source[k], "source");
    explore::share(g_memory.target[k], "target");
  }
}

void copy(std::uint32_t piece, std::uint32_t message) {
  const std::uint32_t data = g_memory.source[piece].load(std::memory_order_relaxed);
  check(data == message, "a piece is copied that is another message's");
  g_memory.target[piece].store(data, std::memory_order_relaxed);
}

// Who stops leaves pieces to be copied again, or never.
void check_once(std::uint32_t piece, std::uint32_t message, Stops stops) {
  check(stops != Stops::kNobody || count(static_cast<int>(piece), 1) == static_cast<int>(message),
        "a piece is copied twice");
}

void receive(std::uint32_t pieces, std::uint32_t message, Stops stops) {
  while (g_memory.head.load(std::memory_order_acquire) != message) {
    ::sched_yield();
  }
  msg::Claims claims(g_memory.claims, pieces);
  msg::Written written(g_memory.written);
  claims.clear();
  written.clear();
  g_memory.answer.store(kTogether, std::memory_order_release);
  std::uint32_t moved = 0;
  bool has_failed = false;
  for (msg::Claims::Run run = claims.take_first(); !run.empty(); run = claims.take_first()) {
    check(run.begin == moved, "the receiver is given pieces that are not next");
    if (stops == Stops::kReceiver && moved > 0) {
      has_failed = true;
      claims.close();
      break;
    }
    for (; moved < run.end; ++moved) {
      check_once(moved, message, stops);
      copy(moved, message);
    }
  }
  msg::Written::Told told = written.look();
  while (!told.is_refused && told.pieces != claims.last_ones()) {
    ::sched_yield();
    told = written.look();
  }
  check(told.pieces <= claims.last_ones(), "more is written than was taken");
  count(kEnded, 1);
  check(told.is_refused || has_failed || moved + claims.last_ones() == pieces, "a piece is nobody's");
  for (std::uint32_t k = moved; told.is_refused && k < pieces; ++k) {
    copy(k, message);
  }
  for (std::uint32_t k = 0; !has_failed && k < pieces; ++k) {
    check(g_memory.target[k].load(std::memory_order_relaxed) == message, "a piece is not seen");
  }
  g_memory.answer.store(kReceived, std::memory_order_release);
}

void help(std::uint32_t pieces, std::uint32_t message, Stops stops) {
  msg::Claims claims(g_memory.claims, pieces);
  msg::Written written(g_memory.written);
  if (written.is_refused()) {
    return;
  }
  for (msg::Claims::Run run = claims.take_last(); !run.empty(); run = claims.take_last()) {
    for (std::uint32_t k = run.begin; k < run.end; ++k) {
      check_once(k, message, stops);
      check(count(kEnded, 0) == static_cast<int>(message) - 1, "the sender writes into a buffer that is received");
      copy(k, message);
      if (stops == Stops::kSender) {
        written.refuse();
        return;
      }
    }
    written.add(run.end - run.begin);
  }
}

void send(std::uint32_t pieces, std::uint32_t message, Stops stops) {
  g_memory.answer.store(kNone, std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < pieces; ++k) {
    g_memory.source[k].store(message, std::memory_order_relaxed);
  }
  g_memory.head.store(message, std::memory_order_release);
  for (;;) {
    const std::uint32_t answer = g_memory.answer.load(std::memory_order_acquire);
    if (answer == kReceived) {
      break;
    }
    if (answer == kTogether) {
      help(pieces, message, stops);
    }
    ::sched_yield();
  }
  for (std::uint32_t k = 0; k < pieces; ++k) {
    g_memory.source[k].store(UINT32_MAX, std::memory_order_relaxed);
  }
}

template <std::uint32_t pieces, int messages, Stops stops = Stops::kNobody>
bool run(int pe, int call) {
  const auto message = static_cast<std::uint32_t>(call) + 1;
  pe == 0 ? receive(pieces, message, stops) : send(pieces, message, stops);
  return call + 1 < messages;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<explore::Model> models = {
      {"one piece, two messages", 2, set_up, run<1, 2>, true},
      {"three pieces, two messages", 2, set_up, run<3, 2>, true},
      {"four pieces", 2, set_up, run<4, 1>, true},
      {"the sender is refused", 2, set_up, run<3, 2, Stops::kSender>, true},
      {"the receiver is", 2, set_up, run<4, 1, Stops::kReceiver>, true},
  };
  constexpr auto kOmitted = Fault::Kind::kOmitted;
  const char* claims = "msg/claims.hpp";
  std::vector<explore::NamedFault> faults = {
      {"pieces are taken without the other side's knowing", {{claims, "word_.compare_exchange_weak", kOmitted}}},
      {"the claims are not cleared", {{claims, "void clear() noexcept", kOmitted}}},
      {"what was written of the last message counts", {{claims, "void clear() noexcept", kOmitted, 2}}},
      {"who fails leaves the rest to be taken", {{claims, "word_.fetch_or(kClosed", kOmitted}}},
      {"the sender does not tell", {{claims, "word_.store(before + pieces", kOmitted}}},
      {"the sender does not tell that it is refused", {{claims, "word_.store(before | kRefused", kOmitted}}},
  };
#if !WEFT_EXPLORES_X86
  faults.push_back({"the sender tells before it has written", {{claims, "word_.store(before + pieces"}}});
  faults.push_back(
      {"the receiver looks at pieces before it is told", {{claims, "word_.load(std::memory_order_acquire)"}}});
#endif
  return explore::run_all(models, faults, argc, argv);
}
