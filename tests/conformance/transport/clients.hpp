// Three clients of messages, as message layers, shared pages and locks will be: made to find out whether tell() and
// answers are enough for them, and kept to hold every network to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace weft::transport {

inline constexpr Kind kAskToSend = 24;
inline constexpr Kind kMaySend = 25;
inline constexpr Kind kData = 26;
inline constexpr Kind kAskForPage = 27;
inline constexpr Kind kPage = 28;
inline constexpr Kind kLock = 29;
inline constexpr Kind kGrant = 30;
inline constexpr Kind kRelease = 31;

template <class Head>
Head head_of(const Arrival& arrival) noexcept {
  static_assert(sizeof(Head) <= kMostHead);
  Head head{};
  std::memcpy(&head, arrival.head, sizeof head);
  return head;
}

/// Messages of any length, which meet by their tag the place that the receiver gives, before or later. Who sends asks;
/// the answer comes when there is a place; then the data goes there. Both sides send at once, so a box that is full of
/// questions must not keep answers from coming.
class Rendezvous {
 public:
  void listen(Kinds& kinds, Transport*& network) noexcept {
    network_ = &network;
    (void)kinds.add(kAskToSend, {asked, nothing, nullptr, this});
    (void)kinds.add(kMaySend, {may_send, nothing, nullptr, this});
    (void)kinds.add(kData, {place, arrived, nullptr, this});
  }

  void send(int pe, std::uint64_t tag, const void* from, std::uint64_t bytes, Pending& pending) {
    const std::scoped_lock lock(mutex_);
    sends_.push_back({pe, from, bytes, &pending, pending.begin()});
    to_tell_.push_back({&sends_.back(), kAskToSend, {tag, bytes, reinterpret_cast<std::uint64_t>(&sends_.back())}});
    tell_some();
  }
  void receive(std::uint64_t tag, void* to, Pending& pending) {
    const std::scoped_lock lock(mutex_);
    receipts_.push_back({tag, to, pending.begin()});
    for (auto at = questions_.begin(); at != questions_.end(); ++at) {
      if (at->head.number == tag) {
        const Head head = answer_to(*at, &receipts_.back());
        EXPECT_TRUE(at->owed->answer({kMaySend, &head, sizeof head, nullptr, 0}));
        questions_.erase(at);
        return;
      }
    }
  }
  void go_on() {
    const std::scoped_lock lock(mutex_);
    tell_some();
  }
  /// So many questions have waited for their receipts, at a time.
  std::size_t most_owed() const { return most_owed_; }

 private:
  struct Head {
    std::uint64_t number;  // the tag, or who receives
    std::uint64_t bytes;
    std::uint64_t sender;
  };
  struct Send {
    int pe;
    const void* from;
    std::uint64_t bytes;
    Pending* pending;
    Pending::Count* count;
  };
  struct Receipt {
    std::uint64_t tag;
    void* to;
    Pending::Count* count;
    bool is_met = false;
  };
  struct Question {
    Head head;
    Owed* owed;
  };
  struct ToTell {
    Send* send;
    Kind kind;
    Head head;
  };

  static Head answer_to(const Question& question, Receipt* receipt) noexcept {
    receipt->is_met = true;
    return {reinterpret_cast<std::uint64_t>(receipt), question.head.bytes, question.head.sender};
  }
  static void nothing(void* /*self*/, const Arrival& /*arrival*/, Answerer& /*answerer*/) noexcept {}

  static Landing asked(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
    auto& here = *static_cast<Rendezvous*>(self);
    const std::scoped_lock lock(here.mutex_);
    Question question{head_of<Head>(arrival), nullptr};
    for (Receipt& receipt : here.receipts_) {
      if (receipt.tag == question.head.number && !receipt.is_met) {
        const Head head = answer_to(question, &receipt);
        EXPECT_TRUE(answerer.answer({kMaySend, &head, sizeof head, nullptr, 0}));
        EXPECT_EQ(answerer.keep(), nullptr);
        return {};
      }
    }
    question.owed = answerer.keep();
    EXPECT_NE(question.owed, nullptr);
    EXPECT_FALSE(answerer.answer({kMaySend, nullptr, 0, nullptr, 0}));
    here.questions_.push_back(question);
    here.most_owed_ = std::max(here.most_owed_, here.questions_.size());
    return {};
  }
  static Landing may_send(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    auto& here = *static_cast<Rendezvous*>(self);
    const std::scoped_lock lock(here.mutex_);
    const Head head = head_of<Head>(arrival);
    here.to_tell_.push_back({reinterpret_cast<Send*>(head.sender), kData, head});
    here.tell_some();
    return {};
  }
  static Landing place(void* /*self*/, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    auto* receipt = reinterpret_cast<Receipt*>(head_of<Head>(arrival).number);
    return {receipt->to, receipt};
  }
  static void arrived(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    auto& here = *static_cast<Rendezvous*>(self);
    const std::scoped_lock lock(here.mutex_);
    const auto* receipt = static_cast<const Receipt*>(arrival.landing.cookie);
    receipt->count->end();
    here.receipts_.remove_if([&](const Receipt& one) { return &one == receipt; });
  }

  void tell_some() {
    while (!to_tell_.empty()) {
      const ToTell& next = to_tell_.front();
      const bool is_data = next.kind == kData;
      const Message what{next.kind, &next.head, sizeof next.head, is_data ? next.send->from : nullptr,
                         is_data ? next.send->bytes : 0};
      if ((*network_)->tell(next.send->pe, what, *next.send->pending) == Told::kAgain) {
        return;
      }
      if (is_data) {
        next.send->count->end();
        sends_.remove_if([&](const Send& one) { return &one == next.send; });
      }
      to_tell_.pop_front();
    }
  }

  Transport** network_ = nullptr;
  std::mutex mutex_;
  std::list<Send> sends_;
  std::list<Receipt> receipts_;
  std::list<Question> questions_;
  std::deque<ToTell> to_tell_;
  std::size_t most_owed_ = 0;
};

/// Pages that a PE gives to who asks, also while its program computes: the handler sends one that nobody changes, and
/// who has changed one sends it to all who have asked meanwhile.
class Pages {
 public:
  static constexpr std::size_t kWords = 512;
  static constexpr int kPages = 8;

  void listen(Kinds& kinds) noexcept {
    (void)kinds.add(kAskForPage, {asked, nothing, nullptr, this});
    (void)kinds.add(kPage, {place, arrived, nullptr, this});
  }
  /// At home, by the program.
  void change(int number) {
    Page& page = pages_[number];
    {
      const std::scoped_lock lock(mutex_);
      page.changes = true;
    }
    for (std::uint64_t& word : page.words) {
      ++word;
    }
    std::vector<Owed*> owed;
    {
      const std::scoped_lock lock(mutex_);
      page.changes = false;
      owed.swap(page.owed);
    }
    for (Owed* one : owed) {
      EXPECT_TRUE(one->answer({kPage, nullptr, 0, page.words, sizeof page.words}));
    }
    late_ += owed.size();
  }
  std::uint64_t late() const { return late_; }

  // Elsewhere.
  std::uint64_t here[kWords] = {};
  std::atomic<std::uint64_t> came = 0;

 private:
  struct Page {
    std::uint64_t words[kWords] = {};
    bool changes = false;
    std::vector<Owed*> owed;
  };
  static void nothing(void* /*self*/, const Arrival& /*arrival*/, Answerer& /*answerer*/) noexcept {}
  static Landing asked(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
    auto& home = *static_cast<Pages*>(self);
    const std::scoped_lock lock(home.mutex_);
    Page& page = home.pages_[head_of<std::uint64_t>(arrival) % kPages];
    if (!page.changes) {
      EXPECT_TRUE(answerer.answer({kPage, nullptr, 0, page.words, sizeof page.words}));
    } else if (Owed* owed = answerer.keep(); owed != nullptr) {
      page.owed.push_back(owed);
    }
    return {};
  }
  static Landing place(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    EXPECT_EQ(arrival.bytes, sizeof here);
    return {static_cast<Pages*>(self)->here, nullptr};
  }
  static void arrived(void* self, const Arrival& /*arrival*/, Answerer& /*answerer*/) noexcept {
    static_cast<Pages*>(self)->came.fetch_add(1, std::memory_order_release);
  }

  std::mutex mutex_;
  Page pages_[kPages];
  std::uint64_t late_ = 0;
};

/// A lock whose data comes with it: 64 KiB, as much as an answer may have.
class LockHome {
 public:
  static constexpr std::size_t kWords = kMostAnswer / sizeof(std::uint64_t);

  void listen(Kinds& kinds) noexcept {
    (void)kinds.add(kLock, {asked, nothing, nullptr, this});
    (void)kinds.add(kRelease, {place, released, nullptr, this});
  }
  /// By the program of its home. False: it is not free.
  bool try_take() {
    const std::scoped_lock lock(mutex_);
    return !std::exchange(is_held_, true);
  }
  void add_and_release() {
    add(words_);
    give_on();
  }
  std::size_t waiting() {
    const std::scoped_lock lock(mutex_);
    return waiting_.size();
  }
  static void add(std::vector<std::uint64_t>& words) {
    for (std::uint64_t& word : words) {
      ++word;
    }
  }
  /// False: not the same for all.
  bool is_whole(std::uint64_t value) const {
    return std::all_of(words_.begin(), words_.end(), [&](std::uint64_t word) { return word == value; });
  }
  std::uint64_t granted_late() const { return granted_late_; }
  bool is_free() {
    const std::scoped_lock lock(mutex_);
    return !is_held_;
  }

 private:
  static void nothing(void* /*self*/, const Arrival& /*arrival*/, Answerer& /*answerer*/) noexcept {}
  struct Waiting {
    std::uint64_t who;
    Owed* owed;
  };
  Message grant(const std::uint64_t& who) const {
    return {kGrant, &who, sizeof who, words_.data(), words_.size() * sizeof(std::uint64_t)};
  }
  static Landing asked(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
    auto& home = *static_cast<LockHome*>(self);
    const std::scoped_lock lock(home.mutex_);
    const auto who = head_of<std::uint64_t>(arrival);
    if (std::exchange(home.is_held_, true)) {
      home.waiting_.push_back({who, answerer.keep()});
    } else {
      EXPECT_TRUE(answerer.answer(home.grant(who)));
    }
    return {};
  }
  static Landing place(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    auto& home = *static_cast<LockHome*>(self);
    EXPECT_EQ(arrival.bytes, home.words_.size() * sizeof(std::uint64_t));
    return {home.words_.data(), nullptr};
  }
  static void released(void* self, const Arrival& /*arrival*/, Answerer& /*answerer*/) noexcept {
    static_cast<LockHome*>(self)->give_on();
  }
  void give_on() {
    const std::scoped_lock lock(mutex_);
    is_held_ = !waiting_.empty();
    if (is_held_) {
      const Waiting next = waiting_.front();
      waiting_.pop_front();
      ++granted_late_;
      EXPECT_TRUE(next.owed->answer(grant(next.who)));
    }
  }

  std::mutex mutex_;
  bool is_held_ = false;
  std::deque<Waiting> waiting_;
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(kWords);
  std::uint64_t granted_late_ = 0;
};

/// Who wants that lock, again and again.
class LockUser {
 public:
  static void listen(Kinds& kinds, LockUser* all) noexcept { (void)kinds.add(kGrant, {place, granted, nullptr, all}); }

  /// False: it has had it so often as it wants.
  bool go_on(Transport& network, std::uint64_t who, std::uint64_t times) {
    switch (state_.load(std::memory_order_acquire)) {
      case kWants:
        if (done_ == times || !releasing_.done()) {
          return !releasing_.done();
        }
        if (network.tell(1, {kLock, &who, sizeof who, nullptr, 0}, releasing_) != Told::kAgain) {
          // Maybe it has come already, inside tell(): nothing forbids that.
          int asked = kWants;
          (void)state_.compare_exchange_strong(asked, kAsked);
        }
        return true;
      case kAsked: return true;
      default: break;
    }
    if (!has_added_) {
      LockHome::add(words_);
      has_added_ = true;
    }
    // From here on it may be asked for anew only when the data is on its way.
    state_.store(kReleases);
    if (network.tell(1, {kRelease, nullptr, 0, words_.data(), words_.size() * sizeof(std::uint64_t)}, releasing_) !=
        Told::kAgain) {
      has_added_ = false;
      ++done_;
      state_.store(kWants);
    }
    return true;
  }
  void restart() { done_ = 0; }

 private:
  enum State : int { kWants, kAsked, kHas, kReleases };
  static Landing place(void* self, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    LockUser& user = static_cast<LockUser*>(self)[head_of<std::uint64_t>(arrival)];
    EXPECT_EQ(arrival.bytes, user.words_.size() * sizeof(std::uint64_t));
    return {user.words_.data(), &user};
  }
  static void granted(void* /*self*/, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
    static_cast<LockUser*>(arrival.landing.cookie)->state_.store(kHas, std::memory_order_release);
  }

  std::atomic<int> state_ = kWants;
  bool has_added_ = false;
  std::uint64_t done_ = 0;
  Pending releasing_;
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(LockHome::kWords);
};

}  // namespace weft::transport
