#include "exercise.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "toy.hpp"

namespace toy {
namespace {

// More than a piece on a node, and than a network sends with a request.
constexpr std::size_t kWords = 25'000;

std::uint64_t value_of(int from, int to, int round, std::size_t k) {
  return static_cast<std::uint64_t>(from) << 48 | static_cast<std::uint64_t>(to) << 32 |
         static_cast<std::uint64_t>(round) << 24 | k;
}

using Words = std::vector<std::uint64_t>;
Words words_of(int from, int to, int round, std::size_t count) {
  Words words(count);
  for (std::size_t k = 0; k < count; ++k) {
    words[k] = value_of(from, to, round, k);
  }
  return words;
}

// All ask all at a time, each beginning with another one.
void questions(int round) {
  for (int k = 0; k < n_pes(); ++k) {
    const int pe = (me() + k) % n_pes();
    for (int turn = 0; turn < 50; ++turn) {
      const std::uint64_t question = value_of(me(), pe, round, static_cast<std::size_t>(turn));
      need(ask(pe, question) == answer_of(pe, question), "an answer is not the one to the question");
    }
  }
}

void messages(int round) {
  // Of different lengths, and one that has no bytes.
  const auto length = [round](int from, int to) {
    return static_cast<std::size_t>(from == to ? 0 : (from * 7919 + to * 104'729 + round * 31) % kWords);
  };
  std::vector<Words> came;
  for (int pe = 0; pe < n_pes(); ++pe) {
    came.emplace_back(length(pe, me()));
    expect(pe, came.back().data(), came.back().size() * sizeof(std::uint64_t));
  }
  meet();
  for (int k = 0; k < n_pes(); ++k) {
    const int pe = (me() + k) % n_pes();
    const Words words = words_of(me(), pe, round, length(me(), pe));
    send(pe, words.data(), words.size() * sizeof(std::uint64_t));
  }
  for (int pe = 0; pe < n_pes(); ++pe) {
    receive(pe);
    need(came[static_cast<std::size_t>(pe)] == words_of(pe, me(), round, length(pe, me())),
         "a message is not what was sent");
  }
  meet();
}

std::vector<Region> tell_all(const Region& own) {
  std::vector<Region> regions(static_cast<std::size_t>(n_pes()));
  for (int pe = 0; pe < n_pes(); ++pe) {
    expect(pe, &regions[static_cast<std::size_t>(pe)], sizeof(Region));
  }
  meet();
  for (int pe = 0; pe < n_pes(); ++pe) {
    send(pe, &own, sizeof own);
  }
  for (int pe = 0; pe < n_pes(); ++pe) {
    receive(pe);
  }
  return regions;
}

// All write to all at once, each to its part of a block in the other one's own area, which nobody has shown.
void own_areas(int round) {
  constexpr std::size_t kOwnWords = 3000;
  constexpr std::size_t kBytes = kOwnWords * sizeof(std::uint64_t);
  const auto block = allocate(static_cast<std::uint64_t>(n_pes()) * kBytes);
  need(block.has_value(), "no room in the own area");
  const std::vector<Region> blocks = tell_all({.address = *block, .bytes = 0, .key = 0, .base = 0});
  for (int k = 0; k < n_pes(); ++k) {
    const int pe = (me() + k) % n_pes();
    const Words words = words_of(me(), pe, round, kOwnWords);
    put_own(pe, blocks[static_cast<std::size_t>(pe)].address + static_cast<std::uint64_t>(me()) * kBytes, words.data(),
            kBytes);
  }
  meet();
  for (int pe = 0; pe < n_pes(); ++pe) {
    const auto* came = at(me(), *block + static_cast<std::uint64_t>(pe) * kBytes);
    need(std::memcmp(came, words_of(pe, me(), round, kOwnWords).data(), kBytes) == 0,
         "what was put into the own area is not there");
  }
  meet();
  (void)release(*block);
}

// Each PE has its part of everybody's memory, and writes it; the next one reads it there.
void memory(int round) {
  const std::size_t bytes = kWords * sizeof(std::uint64_t);
  const auto all = static_cast<std::size_t>(n_pes());
  auto* const at = static_cast<std::uint64_t*>(std::malloc(all * bytes));
  need(at != nullptr, "no memory");
  std::memset(at, 0xff, all * bytes);
  const Region own = show(at, all * bytes);
  const std::vector<Region> regions = tell_all(own);
  for (int k = 0; k < n_pes(); ++k) {
    const int pe = (me() + k) % n_pes();
    const Words words = words_of(me(), pe, round, kWords);
    put(pe, regions[static_cast<std::size_t>(pe)], static_cast<std::size_t>(me()) * bytes, words.data(), bytes);
  }
  meet();
  for (int pe = 0; pe < n_pes(); ++pe) {
    const int writer = (me() + 1) % n_pes();
    Words words(kWords);
    get(pe, regions[static_cast<std::size_t>(pe)], static_cast<std::size_t>(writer) * bytes, words.data(), bytes);
    need(words == words_of(writer, pe, round, kWords), "what was got is not what was put");
    need(std::equal(at + static_cast<std::size_t>(pe) * kWords, at + static_cast<std::size_t>(pe + 1) * kWords,
                    words_of(pe, me(), round, kWords).begin()),
         "what was put is not there");
  }
  meet();
  hide(own);
  std::free(at);
}

// Some PEs in any order, the same on all.
void sums(int round) {
  std::minstd_rand random(static_cast<unsigned>(round) + 1);
  for (int team = 0; team < 5; ++team) {
    std::vector<int> pes(static_cast<std::size_t>(n_pes()));
    std::iota(pes.begin(), pes.end(), 0);
    for (std::size_t k = pes.size(); k > 1; --k) {
      std::swap(pes[k - 1], pes[random() % k]);
    }
    pes.resize(1 + random() % pes.size());
    if (std::find(pes.begin(), pes.end(), me()) == pes.end()) {
      continue;
    }
    const Words values = words_of(me(), team, round, kWords);
    Words got(kWords);
    sum(pes, values.data(), got.data(), kWords);
    for (std::size_t k = 0; k < kWords; ++k) {
      std::uint64_t wanted = 0;
      for (const int pe : pes) {
        wanted += value_of(pe, team, round, k);
      }
      need(got[k] == wanted, "a sum is not right");
    }
  }
  meet();
}

}  // namespace

void need(bool good, const char* what) {
  if (!good) {
    std::fprintf(stderr, "PE %d: %s\n", me(), what);
    std::_Exit(1);
  }
}

void exercise(int round) {
  questions(round);
  messages(round);
  memory(round);
  own_areas(round);
  sums(round);
}

}  // namespace toy
