// Whose a message is of which the receiver has the head only, and which its sender may take back: the word of the
// sender's ticket, and those by which the receiver learns that something was withdrawn (record 0150). Explored by
// tests/models.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::msg {

/// What a receiver has answered. A head that is not watched is somebody's from the moment on at which one side has
/// changed kNone to kTaken or kWithdrawn, in one step that only one of them can make (record 0150).
enum class Answer : std::uint32_t {
  kNone = 0,
  kCopies = 1,     // the data is to be brought by two copies, from `from` on
  kReceived = 2,   // the message is received
  kTogether = 3,   // whoever waits for it may copy with the receiver (together.hpp)
  kTaken = 4,      // a receive or a matched probe has it
  kWithdrawn = 5,  // the sender's: nobody gets it
  kDropped = 6,    // the receiver has come to know that, and looks at the ticket no more
};

/// That word. A head that is watched is never withdrawn: there the receiver alone writes it.
class AnswerWord {
 public:
  explicit AnswerWord(std::atomic<std::uint32_t>& word) noexcept : word_(word) {}

  /// The receiver's, before it has the message. What was there: kNone says that it is this side's now.
  Answer take() noexcept {
    std::uint32_t was = of(Answer::kNone);
    // Relaxed: what the message carries was published with its head, and nothing of this side is told by it.
    (void)word_.compare_exchange_strong(was, of(Answer::kTaken), std::memory_order_relaxed);
    return static_cast<Answer>(was);
  }
  /// Relaxed: a look. Who has acquired the sender's telling, below, sees what was told of.
  bool is_withdrawn() const noexcept { return word_.load(std::memory_order_relaxed) == of(Answer::kWithdrawn); }
  /// `count`: of the answers that the sender does not watch; null: it watches this one.
  void say(Answer what, std::atomic<std::uint32_t>* count) noexcept {
    // Release: what else is in the ticket, and the reading of the data, come first.
    word_.store(of(what), std::memory_order_release);
    // An addition that is one for all waits until all that was written before is out of this processor, which costs as
    // much as a small message.
    if (count != nullptr) {
      // Release: who sees the count move finds the answer. An atomic addition, as all its receivers count there.
      count->fetch_add(1, std::memory_order_release);
    }
  }

  /// The sender's. True: nobody gets the message.
  bool withdraw() noexcept {
    std::uint32_t was = of(Answer::kNone);
    // Relaxed: who finds it withdrawn reads nothing of the message, and where it is told of orders what follows.
    return word_.compare_exchange_strong(was, of(Answer::kWithdrawn), std::memory_order_relaxed);
  }
  /// Acquire: what is asked for was written before, and who has said that a message is received or dropped looks at
  /// the ticket and its data no more.
  Answer look() const noexcept { return static_cast<Answer>(word_.load(std::memory_order_acquire)); }

 private:
  static constexpr std::uint32_t of(Answer answer) noexcept { return static_cast<std::uint32_t>(answer); }
  std::atomic<std::uint32_t>& word_;
};

/// Which message a sender has withdrawn, in a word that the sender fills and its receiver empties. The receiver looks
/// at that one only, if it keeps it, and not at the tickets of all that it keeps. What lies in the word is a hint: the
/// ticket says whether the message was withdrawn.
struct WithdrawnWord {
  static constexpr std::uint64_t kNone = 0;
  static constexpr std::uint64_t kSeveral = 1;  // more than fit the word: any of that sender's
  static constexpr std::uint64_t of(std::uint32_t ticket, std::size_t list) noexcept {
    return std::uint64_t{ticket} << 32 | std::uint64_t{list} << 8 | 2;
  }
  static constexpr std::uint32_t ticket_in(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
  }
  /// Of Matching.
  static constexpr std::size_t list_in(std::uint64_t word) noexcept { return (word & UINT32_MAX) >> 8; }
};

/// How a receiver learns of that: a count of all senders, and a word of each.
class Withdrawals {
 public:
  Withdrawals(std::atomic<std::uint64_t>& count, std::atomic<std::uint64_t>& place) noexcept
      : count_(count), place_(place) {}

  /// The sender's, of what it has withdrawn.
  void tell(std::uint64_t word) noexcept {
    std::uint64_t was = WithdrawnWord::kNone;
    // Release: who takes the word finds the ticket's answer.
    if (!place_.compare_exchange_strong(was, word, std::memory_order_release, std::memory_order_relaxed)) {
      // Release: as above. Its receiver may have emptied it meanwhile: then it looks once too often.
      place_.store(WithdrawnWord::kSeveral, std::memory_order_release);
    }
    // Release: who sees the count move finds the word. An atomic addition, as all that send there count.
    count_.fetch_add(1, std::memory_order_release);
  }

  /// The receiver's. What is withdrawn behind this moves it once more. Acquire: pairs with tell(): the words are there,
  /// and the tickets say so.
  static std::uint64_t counted(const std::atomic<std::uint64_t>& count) noexcept {
    return count.load(std::memory_order_acquire);
  }
  /// Behind that.
  std::uint64_t take_word() noexcept {
    // Relaxed: the first look only; what is not seen yet moves the count.
    if (place_.load(std::memory_order_relaxed) == WithdrawnWord::kNone) {
      return WithdrawnWord::kNone;
    }
    // Acquire: pairs with tell(), as this may be a word of which the count is not seen yet.
    return place_.exchange(WithdrawnWord::kNone, std::memory_order_acquire);
  }

 private:
  std::atomic<std::uint64_t>& count_;
  std::atomic<std::uint64_t>& place_;
};

}  // namespace weft::msg
