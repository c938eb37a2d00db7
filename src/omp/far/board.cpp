#include "omp/far/board.hpp"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace weft::omp::far {
namespace {

struct Awaits {
  std::uint64_t entry;
  std::uint64_t value;
  Asker asker;
};

// A work-sharing construct, from the first question about it until the next barrier.
struct Construct {
  std::uint64_t next = 0;     // iteration that nobody has
  std::uint64_t chunks = 0;   // given out
  std::uint64_t claimed = 0;  // by the first who said so; 0: nobody
  std::unordered_map<std::uint64_t, std::uint64_t> entries;
  std::vector<Awaits> waiting;
};

struct Lock {
  bool held = false;
  std::deque<Asker> waiting;
};

struct Board {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Construct> constructs;
  std::unordered_map<std::uint64_t, std::uint16_t> singles;  // how many processes have asked for each
  std::vector<Asker> arrived;
  std::uint64_t brought = 0;
  bool over = false;  // the region was cancelled: nobody waits for anybody
  std::unordered_map<std::uint64_t, Lock> locks;
};
Board& board() noexcept {
  static Board& made = *new Board;
  return made;
}

Message answer_of(std::uint64_t a) noexcept {
  Message answer;
  answer.a = a;
  return answer;
}

Message over() noexcept {
  Message answer;
  answer.b = 1;
  return answer;
}

void arrive(Board& here, const Message& message, const Asker& asker) noexcept {
  if (here.over) {
    reply(asker, over());
    return;
  }
  here.arrived.push_back(asker);
  here.brought = message.a != 0 ? message.a : here.brought;
  if (here.arrived.size() < message.many) {
    return;
  }
  // All threads have left what they shared before.
  here.constructs.clear();
  const Message answer = answer_of(here.brought);
  here.brought = 0;
  for (const Asker& each : here.arrived) {
    reply(each, answer);
  }
  here.arrived.clear();
}

// Some chunks at a time, as a question takes as long as a round trip: fewer and fewer, so that all end together.
void give_chunks(Board& here, const Message& message, const Asker& asker) noexcept {
  constexpr std::uint64_t kMostOfThread = 64;
  Construct& loop = here.constructs[message.a];
  const std::uint64_t chunk = std::max<std::uint64_t>(message.c, 1);
  const std::uint64_t threads = std::max<std::uint64_t>(message.threads, 1);
  const std::uint64_t left = message.b - std::min(loop.next, message.b);
  std::uint64_t size = chunk;
  if ((message.how & kGuided) != 0) {
    size = std::max(chunk, left / threads + (left % threads != 0 ? 1 : 0));
  } else if ((message.how & kOne) == 0) {
    const std::uint64_t most = kMostOfThread * std::max<std::uint64_t>(message.here, 1);
    const std::uint64_t share = left / chunk / (2 * threads) * message.here;
    size = chunk * std::clamp<std::uint64_t>(share, 1, most);
    size = size / chunk < 1 ? left : size;
  }
  Message answer;
  answer.a = message.b - left;
  answer.b = answer.a + std::min(left, size);
  answer.c = loop.chunks++;
  loop.next = answer.b;
  reply(asker, answer);
}

// Each process asks once for each number, in any order: its threads may be at several constructs.
void give_single(Board& here, const Message& message, const Asker& asker) noexcept {
  const auto single = here.singles.try_emplace(message.a, std::uint16_t{0}).first;
  const bool first = single->second++ == 0;
  if (single->second == message.many) {
    here.singles.erase(single);
  }
  reply(asker, answer_of(first ? 1 : 0));
}

void post(Board& here, const Message& message) noexcept {
  Construct& construct = here.constructs[message.a];
  std::uint64_t& entry = construct.entries[message.b];
  entry = std::max(entry, message.c);
  std::erase_if(construct.waiting, [&](const Awaits& each) {
    const bool done = each.entry == message.b && each.value <= entry;
    if (done) {
      reply(each.asker, {});
    }
    return done;
  });
}

void await(Board& here, const Message& message, const Asker& asker) noexcept {
  Construct& construct = here.constructs[message.a];
  if (here.over || construct.entries[message.b] >= message.c) {
    reply(asker, {});
  } else {
    construct.waiting.push_back({message.b, message.c, asker});
  }
}

void end_region(Board& here, const Asker& asker) noexcept {
  here.over = true;
  for (const Asker& each : here.arrived) {
    reply(each, over());
  }
  here.arrived.clear();
  here.brought = 0;
  for (auto& [number, construct] : here.constructs) {
    for (const Awaits& each : construct.waiting) {
      reply(each.asker, {});
    }
    construct.waiting.clear();
  }
  reply(asker, {});
}

void take_lock(Board& here, const Message& message, const Asker& asker) noexcept {
  Lock& lock = here.locks[message.a];
  if (!lock.held) {
    lock.held = true;
    reply(asker, answer_of(1));
  } else if (message.what == What::kTry) {
    reply(asker, answer_of(0));
  } else {
    lock.waiting.push_back(asker);
  }
}

void give_lock_back(Board& here, std::uint64_t name) noexcept {
  const auto found = here.locks.find(name);
  if (found == here.locks.end()) {
    return;  // nobody has it
  }
  Lock& lock = found->second;
  if (lock.waiting.empty()) {
    here.locks.erase(found);
    return;
  }
  reply(lock.waiting.front(), answer_of(1));
  lock.waiting.pop_front();
}

}  // namespace

void clear_board() noexcept {
  Board& here = board();
  const std::scoped_lock lock(here.mutex);
  here.constructs.clear();
  here.singles.clear();
  here.over = false;
}

void forget_constructs(std::uint64_t below) noexcept {
  Board& here = board();
  const std::scoped_lock lock(here.mutex);
  // The highest bit tells two claims of a construct apart (loops/far.cpp).
  std::erase_if(here.constructs, [&](const auto& each) { return (each.first << 1 >> 1) < below; });
}

bool tell_board(const Message& message, const Asker& asker) noexcept {
  Board& here = board();
  const std::scoped_lock lock(here.mutex);
  switch (message.what) {
    case What::kBarrier: arrive(here, message, asker); return true;
    case What::kChunks: give_chunks(here, message, asker); return true;
    case What::kSingle: give_single(here, message, asker); return true;
    case What::kClaim: {
      std::uint64_t& claimed = here.constructs[message.a].claimed;
      claimed = claimed == 0 ? message.b : claimed;
      reply(asker, answer_of(claimed));
      return true;
    }
    case What::kPost: post(here, message); return true;
    case What::kAwait: await(here, message, asker); return true;
    case What::kLock:
    case What::kTry: take_lock(here, message, asker); return true;
    case What::kOver: end_region(here, asker); return true;
    case What::kUnlock: give_lock_back(here, message.a); return true;
    case What::kHeard: reply(asker, {}); return true;
    default: return false;
  }
}

}  // namespace weft::omp::far
