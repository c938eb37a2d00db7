// Barriers and their two halves, and locks.
#pragma once

#include <cstdint>

namespace weft::dsm {

void barrier() noexcept;
/// What that PE gives, on all of them; a barrier too.
void* from(int pe, void* pointer) noexcept;
void release() noexcept;
void acquire() noexcept;

/// Of a lock in shared memory, which is free while all of it is zero. Tickets: who comes first is first.
struct LockWords {
  std::uint32_t next;
  std::uint32_t serving;
  std::uint32_t holder;  // a PE's number, from 1 on; 0: nobody
  std::uint32_t unused;
};
static_assert(sizeof(LockWords) == 16);

void take_lock(LockWords* lock) noexcept;
bool try_lock(LockWords* lock) noexcept;
void give_lock_back(LockWords* lock) noexcept;

}  // namespace weft::dsm
