// Answers that are given later than in the handler, which have a leaf's own way to the other PE.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "transport/kinds.hpp"

namespace weft::transport {

/// What a leaf has of them, beside the lock of its progress(), under which they are sent. Who answers need not have it:
/// if another thread has, that one sends what was put into the list.
class LateAnswers {
 public:
  explicit LateAnswers(std::mutex& progress) noexcept : progress_(progress) {}
  LateAnswers(const LateAnswers&) = delete;
  LateAnswers& operator=(const LateAnswers&) = delete;

  /// Has the progress lock. All that runs handlers, or sends, or keeps others from that lock, does so in a turn.
  class Turn {
   public:
    explicit Turn(LateAnswers& of) noexcept : of_(of), lock_(of.progress_) { begin(); }
    Turn(LateAnswers& of, std::try_to_lock_t /*only if it is free*/) noexcept
        : of_(of), lock_(of.progress_, std::try_to_lock) {
      begin();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (lock_.owns_lock()) {
        of_.holder_.store({}, std::memory_order_relaxed);
        lock_.unlock();
        of_.send_waiting();
      }
    }
    bool is_mine() const noexcept { return lock_.owns_lock(); }

   private:
    void begin() noexcept {
      if (lock_.owns_lock()) {
        of_.holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
      }
    }
    LateAnswers& of_;
    std::unique_lock<std::mutex> lock_;
  };

  /// The room for an answer to that PE; `connection` is the leaf's. Null: no memory.
  Owed* keep(int pe, std::uint64_t connection) noexcept { return new (std::nothrow) Kept(*this, pe, connection); }

 protected:
  ~LateAnswers() { free_waiting(); }

  /// This thread has the progress lock, as in a handler. Relaxed: only this thread can have written its own name there.
  bool has_turn() const noexcept { return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

  /// With the progress lock, maybe in a handler of another message. It has the sizes that an answer may have. To where
  /// nobody is any more: nowhere.
  virtual void send_late(int pe, std::uint64_t connection, const Message& what) noexcept = 0;
  /// Ends the program.
  virtual void no_memory_for_answer(int pe) noexcept = 0;

 private:
  class Kept final : public Owed {
   public:
    Kept(LateAnswers& of, int pe, std::uint64_t connection) noexcept : of_(of), pe_(pe), connection_(connection) {}
    bool answer(const Message& what) noexcept override {
      if (what.bytes > kMostAnswer || what.head_bytes > kMostHead) {
        return false;
      }
      of_.answer(this, what);
      return true;
    }
    void give_back() noexcept override { delete this; }
    ~Kept() = default;

   private:
    friend class LateAnswers;
    /// Copies it, as it has to wait. False: no memory.
    bool copy(const Message& what) noexcept {
      what_ = what;
      if (what.bytes > 0) {
        data_.reset(new (std::nothrow) std::byte[what.bytes]);
        if (data_ == nullptr) {
          return false;
        }
        std::memcpy(data_.get(), what.data, what.bytes);
      }
      if (what.head_bytes > 0) {
        std::memcpy(head_, what.head, what.head_bytes);
      }
      what_.head = head_;
      what_.data = data_.get();
      return true;
    }

    LateAnswers& of_;
    int pe_;
    std::uint64_t connection_;
    Kept* next_ = nullptr;
    Message what_;
    std::byte head_[kMostHead];
    std::unique_ptr<std::byte[]> data_;
  };

  void answer(Kept* kept, const Message& what) noexcept {
    if (has_turn()) {
      send_late(kept->pe_, kept->connection_, what);  // a handler answers another message
      delete kept;
      return;
    }
    {
      const Turn turn(*this, std::try_to_lock);
      if (turn.is_mine()) {
        send_late(kept->pe_, kept->connection_, what);
        delete kept;
        return;
      }
    }
    if (!kept->copy(what)) {
      no_memory_for_answer(kept->pe_);
      return;
    }
    kept->next_ = waiting_.load(std::memory_order_relaxed);
    // Release: who takes it finds it whole.
    while (!waiting_.compare_exchange_weak(kept->next_, kept, std::memory_order_release, std::memory_order_relaxed)) {
    }
    send_waiting();
  }

  // Who fails to get the lock has put its answer into the list before; who gives the lock up looks there afterwards.
  // seq_cst: of the two at least one sees what the other has done.
  void send_waiting() noexcept {
    for (;;) {
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (waiting_.load(std::memory_order_relaxed) == nullptr) [[likely]] {
        return;
      }
      const std::unique_lock lock(progress_, std::try_to_lock);
      if (!lock.owns_lock()) {
        return;
      }
      // Acquire: pairs with the release of who has put it there.
      for (Kept* kept = waiting_.exchange(nullptr, std::memory_order_acquire); kept != nullptr;) {
        const std::unique_ptr<Kept> now(std::exchange(kept, kept->next_));
        send_late(now->pe_, now->connection_, now->what_);
      }
    }
  }

  void free_waiting() noexcept {
    for (Kept* kept = waiting_.exchange(nullptr, std::memory_order_acquire); kept != nullptr;) {
      delete std::exchange(kept, kept->next_);
    }
  }

  std::mutex& progress_;
  std::atomic<std::thread::id> holder_{};
  std::atomic<Kept*> waiting_ = nullptr;  // the last one first: answers have no order
};

}  // namespace weft::transport
