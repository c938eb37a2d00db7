// The pretended network finds who relies on more than the contract: each client here comes twice, right and wrong, and
// in some of so many seeds the wrong one is found out, the right one in none. Two PEs of one thread, so that the same
// seed does the same each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "pretend/network.hpp"

namespace weft::pretend {
namespace {

using transport::Answerer;
using transport::Arrival;
using transport::Kinds;
using transport::Landing;
using transport::Message;
using transport::Owed;
using transport::Pending;
using transport::RegionKey;
using transport::Setup;
using transport::Told;

constexpr int kSeeds = 60;
constexpr transport::Kind kTell = 20;
constexpr transport::Kind kAsk = 21;

std::vector<std::string> g_failed;
std::vector<int> g_gone;

/// Both PEs; what PE 1 is told, and PE 0 is answered.
struct Two {
  explicit Two(std::uint64_t seed, bool keeps_order = false)
      : wire(make_wire(2)),
        asker(*wire, setup(0, asker_kinds), {.seed = seed, .keeps_order = keeps_order}),
        other(*wire, setup(1, other_kinds), {.seed = seed, .keeps_order = keeps_order}) {
    g_failed.clear();
    g_gone.clear();
    for (const transport::Kind kind : {kTell, kAsk}) {
      (void)asker_kinds.add(kind, {place_answer, arrived_answer, nullptr, this});
      (void)other_kinds.add(kind, {place, arrived, lost, this});
    }
    key = *other.lend({memory.data(), sizeof memory});
  }
  Two(const Two&) = delete;
  Two& operator=(const Two&) = delete;
  ~Two() { free_wire(wire); }

  static Setup setup(int me, const Kinds& kinds) {
    Setup made{};
    made.me = me;
    made.failed = [](const char* operation, int pe, const char* why) noexcept {
      g_failed.push_back(std::string(operation) + " with PE " + std::to_string(pe) + ": " + why);
    };
    made.polled = []() noexcept {};
    made.gone = [](int pe) noexcept { g_gone.push_back(pe); };
    made.kinds = &kinds;
    return made;
  }

  void go_on() {
    asker.progress();
    other.progress();
  }
  /// As long as it takes, and longer than anything is late.
  void settle() {
    for (int k = 0; k < 300; ++k) {
      go_on();
    }
  }
  void wait(const Pending& pending) {
    while (!pending.done()) {
      go_on();
    }
  }
  Told tell(transport::Kind kind, std::uint64_t head, const void* data = nullptr, std::size_t bytes = 0) {
    return asker.tell(1, {kind, &head, sizeof head, data, bytes}, telling);
  }
  Told tell_at_last(transport::Kind kind, std::uint64_t head, const void* data = nullptr, std::size_t bytes = 0) {
    for (;;) {
      const Told told = tell(kind, head, data, bytes);
      if (told != Told::kAgain) {
        return told;
      }
      go_on();
    }
  }
  static std::uint64_t head_of(const Arrival& arrival) {
    std::uint64_t head = 0;
    std::memcpy(&head, arrival.head, sizeof head);
    return head;
  }

  static Landing place(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
    Two& two = *static_cast<Two*>(self);
    two.placed.push_back(head_of(arrival));
    two.seen = two.memory[0];
    if (arrival.kind == kAsk) {
      if (two.keeps) {
        two.owed.push_back(answerer.keep());
      } else {
        EXPECT_TRUE(answerer.answer({kAsk, arrival.head, arrival.head_bytes, nullptr, 0}));
      }
    }
    auto* room = arrival.bytes == 0 ? nullptr : new std::vector<std::uint64_t>(arrival.bytes / sizeof(std::uint64_t));
    return {room == nullptr ? nullptr : room->data(), room};
  }
  static void arrived(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    Two& two = *static_cast<Two*>(self);
    two.arrived_here.push_back(head_of(arrival));
    const std::unique_ptr<std::vector<std::uint64_t>> room(
        static_cast<std::vector<std::uint64_t>*>(arrival.landing.cookie));
    if (room != nullptr) {
      two.values.insert(two.values.end(), room->begin(), room->end());
    }
  }
  static void lost(void* self, const Arrival& arrival) noexcept {
    static_cast<Two*>(self)->lost_here.push_back(head_of(arrival));
    delete static_cast<std::vector<std::uint64_t>*>(arrival.landing.cookie);
  }
  static Landing place_answer(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    static_cast<Two*>(self)->answers.push_back(head_of(arrival));
    return {};
  }
  static void arrived_answer(void* /*self*/, const Arrival& /*arrival*/, Answerer& answerer) noexcept {
    EXPECT_EQ(answerer.keep(), nullptr);
  }

  Wire* wire;
  Kinds asker_kinds;
  Kinds other_kinds;
  Network asker;
  Network other;
  std::array<std::uint64_t, 4096> memory{};
  RegionKey key;
  Pending telling;
  bool keeps = false;
  std::vector<Owed*> owed;
  std::uint64_t seen = 0;  // the first word of the memory when the last message was placed
  std::vector<std::uint64_t> placed, arrived_here, lost_here, answers, values;
};

// --- clients, each of which says whether all was as it had expected
// ---------------------------------------------------

// A message behind a put says that it is there.
bool tells_of_a_put(Two& two, bool right) {
  const std::uint64_t value = 7;
  Pending put;
  two.asker.put({1, two.key, 0}, &value, sizeof value, transport::Source::kReusable, put);
  if (right) {
    two.wait(put);
  }
  (void)two.tell_at_last(kTell, 1);
  two.settle();
  return two.seen == value;
}

// A get behind a put of the same word.
bool gets_what_it_has_put(Two& two, bool right) {
  const std::uint64_t value = 7;
  std::uint64_t back = 0;
  Pending pending;
  two.asker.put({1, two.key, 0}, &value, sizeof value, transport::Source::kReusable, pending);
  if (right) {
    two.wait(pending);
  }
  two.asker.get(&back, {1, two.key, 0}, sizeof back, pending);
  two.wait(pending);
  return back == value;
}

// Two puts of one word, where no order is promised.
bool puts_twice(Two& two, bool right) {
  Pending pending;
  for (std::uint64_t value = 1; value <= 2; ++value) {
    two.asker.put({1, two.key, 0}, &value, sizeof value, transport::Source::kReusable, pending);
    if (right) {
      two.wait(pending);
    }
  }
  two.wait(pending);
  return two.memory[0] == 2;
}

// Data that is sent from where it lies is used for something else.
bool puts_from_one_place(Two& two, bool right) {
  std::array<std::uint64_t, 100> data{};
  Pending pending;
  for (std::size_t k = 0; k < 2; ++k) {
    data.fill(k + 1);
    two.asker.put({1, two.key, k * sizeof data}, data.data(), sizeof data, transport::Source::kStays, pending);
    if (right) {
      two.wait(pending);
    }
  }
  two.wait(pending);
  return two.memory[0] == 1 && two.memory[99] == 1 && two.memory[100] == 2;
}

bool changes_what_is_posted(Two& two, bool right) {
  std::array<std::uint64_t, 100> data{};
  data.fill(1);
  const Told told = two.tell_at_last(kTell, 1, data.data(), sizeof data);
  if (right && told == Told::kPosted) {
    two.wait(two.telling);
  }
  data.fill(2);
  two.settle();
  return two.values == std::vector<std::uint64_t>(data.size(), 1);
}

// Messages are placed in order, and arrive in any.
bool believes_in_the_order_of_arrival(Two& two, bool right) {
  const std::vector<std::uint64_t> data(3000);
  for (std::uint64_t k = 0; k < 6; ++k) {
    (void)two.tell_at_last(kTell, k, data.data(), k % 2 == 0 ? data.size() * sizeof(std::uint64_t) : 0);
  }
  two.settle();
  const std::vector<std::uint64_t> order{0, 1, 2, 3, 4, 5};
  return (right ? two.placed : two.arrived_here) == order;
}

// Answers come in any order: the head has to say whose one is.
bool believes_in_the_order_of_answers(Two& two, bool right) {
  for (std::uint64_t k = 0; k < 6; ++k) {
    (void)two.tell_at_last(kAsk, k);
  }
  two.settle();
  if (right) {
    std::sort(two.answers.begin(), two.answers.end());
  }
  return two.answers == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5};
}

bool does_not_tell_again(Two& two, bool right) {
  for (std::uint64_t k = 0; k < 6; ++k) {
    (void)(right ? two.tell_at_last(kTell, k) : two.tell(kTell, k));
  }
  two.settle();
  return two.placed.size() == 6;
}

// An atomic operation that nobody waits for lets the other PE see what was put before.
bool signals_by_hand(Two& two, bool right) {
  std::array<std::uint64_t, 100> data{};
  data.fill(5);
  Pending pending;
  const transport::Atomic add{transport::Op::kAdd, transport::Type::k64, 1};
  if (right) {
    two.asker.put_then({1, two.key, 8}, data.data(), sizeof data, true, {1, two.key, 0}, add, pending);
  } else {
    two.asker.put({1, two.key, 8}, data.data(), sizeof data, transport::Source::kReusable, pending);
    two.asker.atomic({1, two.key, 0}, add, nullptr, pending);
  }
  while (std::atomic_ref(two.memory[0]).load() == 0) {
    two.go_on();
  }
  const bool was_there = std::all_of(&two.memory[1], &two.memory[101], [](std::uint64_t word) { return word == 5; });
  two.wait(pending);
  return was_there;
}

struct Client {
  const char* name;
  bool (*run)(Two& two, bool right);
};
constexpr Client kClients[] = {{"TellsOfAPut", tells_of_a_put},
                               {"GetsWhatItHasPut", gets_what_it_has_put},
                               {"PutsTwice", puts_twice},
                               {"PutsFromOnePlace", puts_from_one_place},
                               {"ChangesWhatIsPosted", changes_what_is_posted},
                               {"BelievesInTheOrderOfArrival", believes_in_the_order_of_arrival},
                               {"BelievesInTheOrderOfAnswers", believes_in_the_order_of_answers},
                               {"DoesNotTellAgain", does_not_tell_again},
                               {"SignalsByHand", signals_by_hand}};

class Mistakes : public testing::TestWithParam<Client> {};

int found(const Client& client, bool right) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Two two(seed);
    found += client.run(two, right) ? 0 : 1;
  }
  return found;
}

TEST_P(Mistakes, AreFound) { EXPECT_GT(found(GetParam(), false), 0); }
TEST_P(Mistakes, AndOnlyThey) { EXPECT_EQ(found(GetParam(), true), 0); }

INSTANTIATE_TEST_SUITE_P(Of, Mistakes, testing::ValuesIn(kClients),
                         [](const auto& client) { return client.param.name; });

// Where the order is promised it is kept, by the same clients that are wrong without it.
TEST(Order, IsKeptWhereItIsPromised) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Two puts(seed, true);
    EXPECT_TRUE(puts_twice(puts, false)) << seed;
    Two signals(seed, true);
    EXPECT_TRUE(signals_by_hand(signals, false)) << seed;
  }
}

// --- lost connections ------------------------------------------------------------------------------------------------

TEST(Drop, IsTold) {
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Two two(seed);
    const std::vector<std::uint64_t> data(6000, seed);
    for (std::uint64_t k = 0; k < 4; ++k) {
      (void)two.tell_at_last(kTell, k, data.data(), data.size() * sizeof(std::uint64_t));
    }
    for (std::uint64_t k = 0; k < seed; ++k) {
      two.go_on();
    }
    const std::size_t before = two.arrived_here.size();
    const bool tells = !two.telling.done();
    two.asker.drop(1);
    two.settle();
    // What was placed has arrived or is lost, and nothing comes afterwards.
    EXPECT_EQ(two.placed.size(), two.arrived_here.size() + two.lost_here.size()) << seed;
    EXPECT_LE(two.arrived_here.size(), 4U);
    EXPECT_GE(two.arrived_here.size(), before);
    lost += two.lost_here.size();
    std::vector<int> gone = g_gone;
    std::sort(gone.begin(), gone.end());
    EXPECT_EQ(gone, (std::vector<int>{0, 1}));
    if (tells) {
      EXPECT_EQ(g_failed, std::vector<std::string>{"a message with PE 1: the connection is lost"}) << seed;
    }
    // And there is a new one.
    const std::size_t placed = two.placed.size();
    for (std::uint64_t k = 0; k < 100; ++k) {
      (void)two.tell_at_last(kTell, k);
    }
    two.settle();
    ASSERT_EQ(two.placed.size(), placed + 100) << seed;
  }
  EXPECT_GT(lost, 0U);
}

TEST(Drop, FailsOperationsUnderWay) {
  Two two(1);
  const std::uint64_t value = 7;
  Pending pending;
  two.asker.put({1, two.key, 0}, &value, sizeof value, transport::Source::kReusable, pending);
  two.other.drop(0);
  two.settle();
  EXPECT_EQ(g_failed, std::vector<std::string>{"a put with PE 1: the connection is lost"});
  EXPECT_EQ(two.memory[0], 0U);
}

// An answer that is owed goes to who has asked, or nowhere.
TEST(Drop, LetsLateAnswersGoNowhere) {
  Two two(1);
  two.keeps = true;
  (void)two.tell_at_last(kAsk, 1);
  (void)two.tell_at_last(kAsk, 2);
  two.settle();
  ASSERT_EQ(two.owed.size(), 2U);
  const std::uint64_t first = 11;
  EXPECT_TRUE(two.owed[0]->answer({kAsk, &first, sizeof first, nullptr, 0}));
  two.settle();
  EXPECT_EQ(two.answers, std::vector<std::uint64_t>{11});
  two.asker.drop(1);
  two.settle();
  EXPECT_TRUE(two.owed[1]->answer({kAsk, &first, sizeof first, nullptr, 0}));
  two.settle();
  EXPECT_EQ(two.answers.size(), 1U);
}

}  // namespace
}  // namespace weft::pretend
