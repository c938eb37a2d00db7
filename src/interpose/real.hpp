// The routines behind this tool: the next tool's, or those of the interface's own library.
#pragma once

#include <pshmem.h>

#include <atomic>
#include <cstddef>

#include "api/calls.hpp"
#include "api/ops.hpp"

namespace weft::interpose {

/// Of each interface, by the type of its numbers.
template <class Call>
inline constinit std::atomic<void*> g_next[calls_of(Call{})] = {};

/// Looks the name up among the libraries after this one, or ends the program with a line. `library` is the one that has
/// it in the end.
void* find_next(const char* name, const char* library) noexcept;

template <class Call>
void* next(Call call, const char* name) noexcept {
  std::atomic<void*>& place = g_next<Call>[index_of(call)];
  // Acquire: with the routine comes the rest of the library (library.hpp), which another thread may have found.
  void* found = place.load(std::memory_order_acquire);
  if (found == nullptr) [[unlikely]] {
    found = find_next(name, library_of(call));
    // Release: who finds the routine finds what the library has beside it.
    place.store(found, std::memory_order_release);
  }
  return found;
}

}  // namespace weft::interpose

/// WEFT_REAL(my_pe)() is the next shmem_my_pe: what a tool itself calls must not come to its own wrapper.
#define WEFT_REAL(routine)                       \
  reinterpret_cast<decltype(&pshmem_##routine)>( \
      weft::interpose::next(weft::api::Call::shmem_##routine, "pshmem_" #routine))
