// Two PEs that are two processes, each a node of its own: this one begins the operations, the other one only lets the
// network go on, or sleeps on it.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "clients.hpp"
#include "transport/tagged.hpp"
#include "transport/transport.hpp"

extern "C" weft::transport::Transport* weft_transport(const weft::transport::Setup& setup, char* why, std::size_t room);

namespace weft::transport {

inline constexpr std::size_t kHeap = std::size_t{4} << 20;
inline constexpr std::size_t kStatics = 8192;
inline constexpr std::size_t kLater = 4096;
inline constexpr Kind kEcho = 20;   // its data comes back as an answer
inline constexpr Kind kStore = 21;  // stored at the offset in the heap that its head has; or nowhere
inline constexpr Kind kBack = 22;   // the answers
inline constexpr Kind kRelay = 23;  // is told back from inside the handler, as a message
inline constexpr Kind kWatch = 32;  // that it is placed, and then that it has arrived, is told back likewise
inline constexpr Tag kTag = 77;
inline constexpr int kMessages = 20;
inline constexpr int kEchoes = kMessages + 1;

template <class T>
T* shared(std::size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<T*>(at);
}

inline char* g_told = nullptr;  // where a failure is wanted, which ends nothing then

inline void failed(const char* operation, int pe, const char* why) noexcept {
  if (g_told != nullptr) {
    (void)std::snprintf(g_told, 256, "%s with PE %d: %s", operation, pe, why);
    return;
  }
  (void)std::fprintf(stderr, "%s with PE %d failed: %s\n", operation, pe, why);
  ::_exit(3);
}

inline void polled() noexcept {}

// What each lends in the beginning.
enum Region : int { kHeapRegion, kStaticsRegion };
inline constexpr int kRegions = 2;

// What the two processes share beside the network, to begin, to check and to end.
struct Common {
  std::atomic<int> opened;
  std::atomic<bool> ends;
  std::atomic<bool> sleeps;  // the target does not poll, it sleeps on the network
  std::atomic<int> echoed;
  std::atomic<std::uint64_t> arrived;  // messages that the target's handlers were given
  RegionKey keys[2][kRegions];
  // Of memory that the target lends later, and takes back: how often it was asked to do either, and has.
  std::atomic<int> lend_wanted;
  std::atomic<int> lend_done;
  RegionKey later;
  alignas(64) std::byte lent_later[kLater];
  // Acts of the target's part in clients_test.cpp: how many it was asked for, which, and has done; and their end.
  std::atomic<int> acts_wanted;
  std::atomic<int> act;
  std::atomic<int> acts_done;
  std::atomic<bool> act_ends;
  std::atomic<std::uint64_t> act_says;
};

// What a PE makes of messages. Its memory is what both processes see.
class Listener {
 public:
  static constexpr std::uint64_t kNowhere = UINT64_MAX;
  static constexpr std::uint64_t kArrived = std::uint64_t{1} << 63;  // with the number of what is watched
  struct Head {
    std::uint64_t number;
    std::uint64_t offset;
  };

  void listen(Kinds& kinds, Transport*& network, std::byte* memory) {
    network_ = &network;
    memory_ = memory;
    for (const Kind kind : {kEcho, kStore, kBack, kRelay, kWatch}) {
      (void)kinds.add(kind, {place, arrived, nullptr, this});
    }
  }

  std::vector<std::uint64_t> placed;  // numbers, in order
  std::uint64_t arrived_count = 0;
  std::vector<std::byte> answer;  // the last one
  std::uint64_t answers = 0;

  /// In the order in which they were placed. From inside a handler too, where nothing may wait: what there is no room
  /// for goes the next time.
  void relay() noexcept {
    while (!to_relay_.empty()) {
      const auto& [pe, head] = to_relay_.front();
      if ((*network_)->tell(pe, {kStore, &head, sizeof head, nullptr, 0}, relaying_) == Told::kAgain) {
        return;
      }
      to_relay_.pop_front();
    }
  }

 private:
  static Head head_of(const Arrival& arrival) noexcept {
    Head head{};
    std::memcpy(&head, arrival.head, sizeof head);
    return head;
  }

  void relay_back(int pe, std::uint64_t number) noexcept {
    to_relay_.push_back({pe, {number, kNowhere}});
    relay();
  }

  static Landing place(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    auto& here = *static_cast<Listener*>(self);
    const Head head = head_of(arrival);
    if (arrival.is_answer) {
      here.answer.resize(arrival.bytes);
      return {here.answer.data(), nullptr};
    }
    here.placed.push_back(head.number);
    if (arrival.kind == kRelay || arrival.kind == kWatch) {
      here.relay_back(arrival.pe, head.number);
    }
    if (arrival.kind == kEcho) {
      auto* room = new std::vector<std::byte>(arrival.bytes);
      return {room->data(), room};
    }
    return {head.offset == kNowhere || arrival.bytes == 0 ? nullptr : here.memory_ + head.offset, nullptr};
  }
  static void arrived(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
    auto& here = *static_cast<Listener*>(self);
    ++here.arrived_count;
    if (arrival.is_answer) {
      EXPECT_FALSE(answerer.answer({kBack, nullptr, 0, nullptr, 0}));
      ++here.answers;
      return;
    }
    if (arrival.kind == kWatch) {
      here.relay_back(arrival.pe, head_of(arrival).number | kArrived);
    }
    if (arrival.kind == kEcho) {
      const auto* room = static_cast<std::vector<std::byte>*>(arrival.landing.cookie);
      EXPECT_TRUE(answerer.answer({kBack, arrival.head, arrival.head_bytes, room->data(), room->size()}));
      EXPECT_FALSE(answerer.answer({kBack, nullptr, 0, nullptr, 0}));
      delete room;
    }
  }

  Transport** network_ = nullptr;
  std::byte* memory_ = nullptr;
  std::deque<std::pair<int, Head>> to_relay_;
  Pending relaying_;
};

class Contract : public testing::Test {
 public:
  static void begin() {
    job_ = shared<boot::JobHeader>(boot::control_bytes(1, 2));
    common_ = shared<Common>(sizeof(Common));
    for (auto& regions : memory_) {
      regions[0] = {shared<std::byte>(kHeap), kHeap};
      regions[1] = {shared<std::byte>(kStatics), kStatics};
    }
    job_->n_pes = 1;
    job_->job_pes = 2;
    job_->n_nodes = 2;
    target_ = ::fork();
    if (target_ == 0) {
      be_target();
    }
    network_ = open(0);
  }
  static void end() {
    common_->ends = true;
    int status = -1;
    (void)::waitpid(target_, &status, 0);
    EXPECT_EQ(status, 0);
  }

 protected:
  static Transport* open(int me) {
    char why[512];
    transport::Setup setup{job_, me, failed, polled, nullptr, nullptr, &kinds_};
    setup.most_told = boxes();
    network_ = weft_transport(setup, why, sizeof why);
    Transport* network = network_;
    if (network == nullptr) {
      (void)std::fprintf(stderr, "%s\n", why);
      ::_exit(4);
    }
    (void)tagged_.begin(*network, setup, kinds_);
    listener_.listen(kinds_, network_, static_cast<std::byte*>(memory_[me][kHeapRegion].at));
    rendezvous_.listen(kinds_, network_);
    pages_.listen(kinds_);
    lock_home_.listen(kinds_);
    LockUser::listen(kinds_, lock_users_);
    auto opened = network->open(boot::peer_card(job_, me));
    for (int region = 0; opened && region < kRegions; ++region) {
      const auto lent = network->lend(memory_[me][region]);
      opened = lent ? base::Result<void>() : lent.error();
      common_->keys[me][region] = lent ? *lent : RegionKey{};
    }
    if (!opened) {
      (void)std::fprintf(stderr, "%s\n", opened.error().text());
      ::_exit(5);
    }
    for (++common_->opened; common_->opened != 2;) {
      ::usleep(1000);
    }
    return network;
  }

  // Sends each message back that it gets, and is a target.
  [[noreturn]] static void be_target() {
    Transport& network = *open(1);
    std::uint64_t message = 0;
    Pending came;
    Pending sent;
    bool sends = false;
    tagged_.receive(0, kTag, &message, sizeof message, came);
    while (!common_->ends) {
      if (common_->sleeps) {
        network.sleep(10);
      }
      network.progress();
      listener_.relay();
      tagged_.go_on();
      common_->arrived = listener_.arrived_count;
      lend_or_take_back(network);
      if (common_->acts_done != common_->acts_wanted) {
        act_(common_->act);
        ++common_->acts_done;
      }
      if (!came.done() || !sent.done() || common_->echoed == kEchoes) {
        continue;
      }
      // What is sent may lie where it is for a while.
      if (std::exchange(sends, !sends)) {
        ++common_->echoed;
        tagged_.receive(0, kTag, &message, sizeof message, came);
      } else {
        tagged_.send(0, kTag, &message, sizeof message, sent);
      }
    }
    ::_exit(0);
  }

  /// Has the target play its part.
  static void begin_act(int act) {
    common_->act_ends = false;
    common_->act = act;
    ++common_->acts_wanted;
  }
  static void end_act() {
    common_->act_ends = true;
    while (common_->acts_done != common_->acts_wanted) {
      go_on();
    }
  }

  /// Messages that a PE has not taken, at most: WEFT_TEST_BOXES, or as many as programs have.
  static std::uint32_t boxes() {
    const char* text = std::getenv("WEFT_TEST_BOXES");
    std::uint32_t boxes = kMostTold;
    if (text != nullptr) {
      (void)std::from_chars(text, text + std::strlen(text), boxes);
    }
    return boxes;
  }

  static void lend_or_take_back(Transport& network) {
    if (common_->lend_done == common_->lend_wanted) {
      return;
    }
    if (common_->lend_done % 2 == 0) {
      const auto lent = network.lend({common_->lent_later, kLater});
      common_->later = lent ? *lent : RegionKey{};
    } else {
      network.take_back(common_->later);
    }
    ++common_->lend_done;
  }
  // Lends, and the next time takes back.
  static RegionKey lend_later() {
    ++common_->lend_wanted;
    while (common_->lend_done != common_->lend_wanted) {
      network_->progress();
    }
    return common_->later;
  }

  static void wait(const Pending& pending) {
    while (!pending.done()) {
      go_on();
    }
  }
  static void go_on() {
    network_->progress();
    tagged_.go_on();
    rendezvous_.go_on();
  }
  // Until it is taken.
  static void tell(Kind kind, const Listener::Head& head, const void* data, std::size_t bytes, Pending& pending) {
    while (network_->tell(1, {kind, &head, sizeof head, data, bytes}, pending) == Told::kAgain) {
      go_on();
    }
  }
  // So many more than before have arrived there.
  static void wait_for_arrivals(std::uint64_t before, std::uint64_t more) {
    while (common_->arrived != before + more) {
      go_on();
    }
  }
  static RegionKey key(Region region) { return common_->keys[1][region]; }
  static std::byte* theirs(Region region) { return static_cast<std::byte*>(memory_[1][static_cast<int>(region)].at); }

  static inline boot::JobHeader* job_ = nullptr;
  static inline Common* common_ = nullptr;
  static inline Memory memory_[2][kRegions];
  static inline Transport* network_ = nullptr;
  static inline Kinds kinds_;
  static inline Tagged tagged_;
  static inline Listener listener_;
  static constexpr int kLockUsers = 4;
  static inline Rendezvous rendezvous_;
  static inline Pages pages_;
  static inline LockHome lock_home_;
  static inline LockUser lock_users_[kLockUsers];
  static inline void (*act_)(int) = nullptr;
  static inline pid_t target_ = -1;
};

inline std::vector<std::byte> pattern(std::size_t bytes, int seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t k = 0; k < bytes; ++k) {
    made[k] = static_cast<std::byte>((k * 31 + k / 251 + static_cast<std::size_t>(seed)) & 0xff);
  }
  return made;
}

}  // namespace weft::transport
