// Where the locks live that migrate (lock/migrating.hpp): at the end of each PE's heap, behind what the program's
// blocks may take, since there the network reaches them and the PEs of the node have them mapped.
//
//   [guard, as large as the rest][LockHead][keys: 8 bytes each][LockWords: 64 bytes each]
//
// The user's word only names a lock; what it is in is found by the word's place (lock/keys.hpp), and who has found
// it need not look again. A lock that finds no room among the few entries where it may be keeps its tickets in the
// user's word and is always taken through the network. That too is for ever, and so the same for all PEs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lock/agent.hpp"
#include "lock/migrating.hpp"

namespace weft::lock {

/// Bytes at the end of a heap so large that its blocks do not get, a guard and the table; 0: no lock migrates with so
/// small a heap.
struct LockTableBytes {
  std::size_t guard = 0;
  std::size_t table = 0;
};
LockTableBytes lock_table_bytes(std::size_t heap_bytes) noexcept;

/// Where the home's entry for the symmetric word is; false: there is no room for it, or nothing migrates in this job.
struct LockEntry {
  LockPlace place;
  LockWords* words;  // null on another node
  LockHead* head;
};
bool find_lock(const void* lock, int home, const LockMeans& means, LockEntry* entry) noexcept;

/// Before others reach this PE; and at the end, when nobody uses a lock any more. False: there is no memory for it.
bool open_lock_table(transport::Transport& network) noexcept;
void close_lock_table() noexcept;

/// Lets the locks of this PE migrate: whenever the network has gone on.
void serve_locks() noexcept;

}  // namespace weft::lock
