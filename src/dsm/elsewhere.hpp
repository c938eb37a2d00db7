// What PEs of different nodes ask of each other: messages of the transport (transport/kinds.hpp), each with an answer.
// Their handlers use the parts of this PE and take no lock but the book's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsm/homes.hpp"
#include "dsm/pairs.hpp"
#include "dsm/protocol/diff.hpp"
#include "dsm/protocol/notices.hpp"
#include "dsm/state.hpp"
#include "dsm/words.hpp"
#include "sync/waiter.hpp"
#include "transport/transport.hpp"

namespace weft::dsm {

/// Before anybody can tell this PE something. Null: one node.
void opening(transport::Transport* network) noexcept;

/// Requests that are under way together.
class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  /// `into` gets the contents of the pages, which are at home at `pe`; they are marked there before.
  void fetch(int pe, std::uint32_t first, std::uint32_t pages, std::byte* into) noexcept;
  /// Changes of a page go home. What they are is copied.
  void diff(int pe, std::uint32_t page, const std::byte* from, const Changes& changes) noexcept;
  /// To all PEs of other nodes.
  void announce(const std::vector<Run>& runs) noexcept;
  /// All of that is done.
  void wait() noexcept;

 private:
  // Of the changes that go to one PE in one message.
  struct Parcel {
    int pe;
    std::uint32_t pages;
    std::vector<std::byte> data;
  };
  void send(const Parcel& parcel) noexcept;

  std::atomic<std::uint32_t> left_ = 0;
  transport::Pending pending_;
  std::vector<std::unique_ptr<Parcel>> parcels_;  // kept until all is done; the last one of a PE may still grow
  std::vector<std::uint64_t> runs_;
};

/// Of the table at PE 0.
Homes ask_homes_elsewhere(std::uint32_t first, std::uint32_t pages, bool claim) noexcept;

/// Of the book at PE 0: as in arena.hpp.
Arena::Given allocate_elsewhere(std::uint64_t bytes, std::uint64_t alignment) noexcept;
Arena::Freed release_elsewhere(std::uint64_t offset) noexcept;
std::uint64_t room_elsewhere(std::uint64_t offset) noexcept;
std::uint64_t room_behind_elsewhere(std::uint64_t offset) noexcept;
std::uint64_t bytes_left_elsewhere() noexcept;

/// An atomic operation at a word's home.
struct Operated {
  std::uint64_t before;
  std::uint64_t now;
};
Operated operate_elsewhere(int pe, std::uint64_t offset, const WordOp& what) noexcept;
/// What was there before.
Pair operate_elsewhere(int pe, std::uint64_t offset, const PairOp& what) noexcept;

/// Of the lock at that offset, at home at `pe`. False: another one has it.
void take_lock_elsewhere(int pe, std::uint64_t offset, const sync::WaitNote& note) noexcept;
bool try_lock_elsewhere(int pe, std::uint64_t offset) noexcept;
/// The same in two parts: `left` goes down from 1 when this PE has it, and then end_lock_elsewhere() is called.
std::uint64_t begin_lock_elsewhere(int pe, std::uint64_t offset, std::atomic<std::uint32_t>& left) noexcept;
void end_lock_elsewhere(std::uint64_t token) noexcept;
/// Which PE had it, from 1 on: this one, unless it is a mistake and nothing was done.
std::uint32_t give_lock_back_elsewhere(int pe, std::uint64_t offset) noexcept;
/// Somebody of this node has given a lock back that is at home at this or another of its PEs.
void tell_waiting_elsewhere(int home) noexcept;

/// Before all PEs meet: then others may show what they have. False: no memory.
bool begin_elsewhere() noexcept;
/// What this PE shows to those of other nodes, and what they have shown: when all have.
void show_elsewhere(const Hub& hub) noexcept;
const Hub& shown_elsewhere(int pe) noexcept;
/// Behind that, on all PEs: nobody asks any more.
void forget_elsewhere() noexcept;

}  // namespace weft::dsm
