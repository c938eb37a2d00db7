// A network adapter whose atomic operations are atomic against each other and not against the processor's: each reads
// the word, dawdles, and writes it. What a processor changes meanwhile is lost, as on real ones.
//
// Operations are carried out when somebody lets the network go on, in any order, as the contract has it.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <random>
#include <vector>

#include "transport/transport.hpp"

namespace weft::test {

class PretendedNetwork final : public transport::Transport {
 public:
  explicit PretendedNetwork(void* memory) : memory_(static_cast<std::byte*>(memory)) {}

  const char* name() const noexcept override { return "pretended"; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t) noexcept override { return {}; }
  bool amo_cpu_coherent() const noexcept override { return false; }

  void atomic(const transport::Remote& at, const transport::Atomic& what, void* fetched,
              transport::Pending& pending) noexcept override {
    begun_.fetch_add(1, std::memory_order_relaxed);
    const std::scoped_lock lock(queue_mutex_);
    queue_.push_back({at.offset, what, fetched, pending.begin()});
  }

  void progress() noexcept override {
    // The adapter does one after the other; who finds it busy does not wait for it.
    const std::unique_lock adapter(adapter_mutex_, std::try_to_lock);
    if (!adapter.owns_lock()) {
      ::sched_yield();
      return;
    }
    Operation next{};
    {
      const std::scoped_lock lock(queue_mutex_);
      if (queue_.empty()) {
        return;
      }
      std::swap(queue_[random_() % queue_.size()], queue_.back());
      next = queue_.back();
      queue_.pop_back();
    }
    carry_out(next);
  }

  /// Operations so far, which a clock does not blur.
  long begun() const { return begun_.load(std::memory_order_relaxed); }

  base::Result<void> open(boot::PeerCard*) noexcept override { return {}; }
  base::Result<transport::RegionKey> lend(const transport::Memory&) noexcept override { return transport::RegionKey{}; }
  void take_back(const transport::RegionKey&) noexcept override {}
  void close() noexcept override {}
  void put(const transport::Remote&, const void*, std::size_t, transport::Source,
           transport::Pending&) noexcept override {}
  // Whole words, in some order; at once, for nothing here depends on when.
  void get(void* to, const transport::Remote& from, std::size_t bytes, transport::Pending&) noexcept override {
    begun_.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t k = 0; k + sizeof(std::uint64_t) <= bytes; k += sizeof(std::uint64_t)) {
      const auto word = __atomic_load_n(reinterpret_cast<std::uint64_t*>(memory_ + from.offset + k), __ATOMIC_ACQUIRE);
      std::memcpy(static_cast<std::byte*>(to) + k, &word, sizeof word);
    }
  }
  void put_then(const transport::Remote&, const void*, std::size_t, bool, const transport::Remote&,
                const transport::Atomic&, transport::Pending&) noexcept override {}
  bool keeps_order() const noexcept override { return false; }
  transport::Told tell(int, const transport::Message&, transport::Pending&) noexcept override {
    return transport::Told::kAgain;
  }
  bool sleep(int) noexcept override { return false; }

 private:
  struct Operation {
    std::uint64_t offset = 0;
    transport::Atomic what{};
    void* fetched = nullptr;
    transport::Pending::Count* count = nullptr;
  };

  // Acquire and release stand for the adapter's place in the order of memory, which it has though it is not atomic.
  template <class Word>
  void change(const Operation& operation) {
    auto* at = reinterpret_cast<Word*>(memory_ + operation.offset);
    const Word before = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    for (auto k = random_() % 3; k > 0; --k) {
      ::sched_yield();
    }
    const auto operand = static_cast<Word>(operation.what.operand);
    switch (operation.what.op) {
      case transport::Op::kFetch: break;
      case transport::Op::kSet: __atomic_store_n(at, operand, __ATOMIC_RELEASE); break;
      case transport::Op::kAdd: __atomic_store_n(at, static_cast<Word>(before + operand), __ATOMIC_RELEASE); break;
      case transport::Op::kCompareSwap:
        if (before == static_cast<Word>(operation.what.compare)) {
          __atomic_store_n(at, operand, __ATOMIC_RELEASE);
        }
        break;
      default: std::abort();
    }
    if (operation.fetched != nullptr) {
      std::memcpy(operation.fetched, &before, sizeof before);
    }
  }

  void carry_out(const Operation& operation) {
    if (operation.what.type == transport::Type::k64) {
      change<std::uint64_t>(operation);
    } else if (operation.what.type == transport::Type::k32) {
      change<std::uint32_t>(operation);
    } else {
      std::abort();
    }
    operation.count->end();
  }

  std::byte* memory_;
  std::atomic<long> begun_ = 0;
  std::mutex queue_mutex_;
  std::mutex adapter_mutex_;
  std::vector<Operation> queue_;
  std::minstd_rand random_{1};  // used by who has the adapter
};

}  // namespace weft::test
