// Barriers and their two halves, and locks.
#pragma once

#include <cstdint>

#include "dsm/owed.hpp"
#include "dsm/words.hpp"
#include "sync/waiter.hpp"

namespace weft::dsm {

/// What names the interval that begins with an acquire: the place in the program that is passed there, or anything else
/// that comes again when the program does the same again. 0: it is not known, and the interval before goes on.
using Site = std::uint64_t;
inline Site site_of(const void* place) noexcept { return reinterpret_cast<std::uintptr_t>(place); }

void barrier(Site site = 0) noexcept;
/// What that PE gives, on all of them; a barrier too.
void* from(int pe, void* pointer) noexcept;
/// `owed_to`: whom the front end tells itself, by its next message (owed.hpp), behind which they do nothing before they
/// have it.
void release(int owed_to = kOweNobody) noexcept;
void acquire(Site site = 0, bool locked = false) noexcept;
/// Without anything to acquire.
void begin_interval(Site site) noexcept;
/// Cheap: nothing is there to release, of this thread and who it has synchronised with; nothing to acquire.
bool is_released() noexcept;
bool is_acquired() noexcept;

/// Of a lock in shared memory, which is free while all of it is zero. Tickets: who comes first is first.
struct LockWords {
  std::uint32_t next;
  std::uint32_t serving;
  std::uint32_t holder;     // a PE's number, from 1 on; 0: nobody
  std::uint32_t elsewhere;  // PEs of other nodes than its home's that wait
};
static_assert(sizeof(LockWords) == 16);

/// Where a lock lies in the range, which is what it is called by below; kNowhere: there is none at that address, as
/// that is not in shared memory, or no multiple of 16.
inline std::uint64_t offset_of_lock(const void* lock) noexcept { return offset_of_operand(lock, sizeof(LockWords)); }
/// Where this processor changes the lock's words; null: that is its home's, on another node.
LockWords* words_of(std::uint64_t lock, int* home) noexcept;
sync::WaitNote note_of_lock(std::uint64_t lock) noexcept;

/// On words in this processor's reach, for a PE.
std::uint32_t draw_ticket(LockWords& words) noexcept;
bool is_turn(const LockWords& words, std::uint32_t ticket) noexcept;
void wait_for_turn(const LockWords& words, std::uint32_t ticket, std::uint64_t lock) noexcept;
/// Whose turn has come.
void hold(LockWords& words, int pe) noexcept;
bool try_words(LockWords& words, int pe) noexcept;
/// This PE has it: people are told so, and what was done under it before is seen.
void enter(std::uint64_t lock, Site site) noexcept;
/// Who holds it, from 1 on; where that is another one, or 0, nothing is done.
std::uint32_t give_words_back(LockWords& words, int pe) noexcept;

void take_lock(std::uint64_t lock, Site site = 0) noexcept;
bool try_lock(std::uint64_t lock, Site site = 0) noexcept;
/// 0: it is done. Else this PE does not hold it: who does, from 1 on; or nobody.
inline constexpr std::uint32_t kNobody = UINT32_MAX;
std::uint32_t give_lock_back(std::uint64_t lock) noexcept;

}  // namespace weft::dsm
