// What PEs of different nodes ask of each other: messages of the transport (transport/kinds.hpp), each with an answer.
// Their handlers use the parts of this PE and take no lock but the book's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "dsm/homes.hpp"
#include "dsm/pairs.hpp"
#include "dsm/protocol/diff.hpp"
#include "dsm/protocol/notices.hpp"
#include "dsm/state.hpp"
#include "dsm/words.hpp"
#include "sync/waiter.hpp"
#include "transport/transport.hpp"

namespace weft::dsm {

/// The kind of messages that the front end has for itself, behind those of this room.
inline constexpr transport::Kind kOfFrontEnd = transport::first_kind_of(boot::Interface::kSharedPages) + 13;

/// Before anybody can tell this PE something. Null: one node.
void opening(transport::Transport* network) noexcept;

/// The page stays where it is at home from now on, on another node than this PE: true, if that is `pe`. Else where it
/// has gone, as learn_home() takes it.
bool fix_elsewhere(int pe, std::uint32_t page, std::uint16_t* to) noexcept;

/// Of the table at PE 0.
Homes ask_homes_elsewhere(std::uint32_t first, std::uint32_t pages, bool claim) noexcept;

/// Of the book at PE 0: as in arena.hpp.
Arena::Given allocate_elsewhere(std::uint64_t bytes, std::uint64_t alignment) noexcept;
Arena::Freed release_elsewhere(std::uint64_t offset) noexcept;
std::uint64_t room_elsewhere(std::uint64_t offset) noexcept;
std::uint64_t room_behind_elsewhere(std::uint64_t offset) noexcept;
std::uint64_t bytes_left_elsewhere() noexcept;
Arena::Lost lost_elsewhere(std::uint64_t offset) noexcept;
/// In safe mode: what was given back behind so many returns, and how many there are with it. As many: nothing.
struct Returned {
  std::uint64_t number = 0;
  Run run{};
};
Returned returned_elsewhere(std::uint64_t seen) noexcept;
/// The same where the book is.
Returned returned_here(std::uint64_t seen) noexcept;

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
