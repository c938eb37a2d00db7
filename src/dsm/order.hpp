// Barriers and their two halves, and locks.
#pragma once

#include <cstdint>

namespace weft::dsm {

void barrier() noexcept;
/// What that PE gives, on all of them; a barrier too.
void* from(int pe, void* pointer) noexcept;
void release() noexcept;
void acquire() noexcept;
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

/// On words in this processor's reach, for a PE.
std::uint32_t draw_ticket(LockWords& words) noexcept;
bool try_words(LockWords& words, int pe) noexcept;
/// Who holds it, from 1 on; where that is another one, or 0, nothing is done.
std::uint32_t give_words_back(LockWords& words, int pe) noexcept;

void take_lock(LockWords* lock) noexcept;
bool try_lock(LockWords* lock) noexcept;
void give_lock_back(LockWords* lock) noexcept;

}  // namespace weft::dsm
