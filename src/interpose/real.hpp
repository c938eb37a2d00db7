// The routines behind this tool: the next tool's, or libweft.so's own.
#pragma once

#include <pshmem.h>

#include <atomic>

#include "api/calls.hpp"

namespace weft::interpose {

extern constinit std::atomic<void*> g_next[api::kCalls];

/// Looks the name up among the libraries after this one, or ends the program with a line.
void* find_next(api::Call call, const char* name) noexcept;

template <class Function>
inline Function* next(api::Call call, const char* name) noexcept {
  // Acquire: with the routine comes the rest of the library (library.hpp), which another thread may have found.
  void* found = g_next[static_cast<std::size_t>(call)].load(std::memory_order_acquire);
  return reinterpret_cast<Function*>(found != nullptr ? found : find_next(call, name));
}

}  // namespace weft::interpose

/// WEFT_REAL(my_pe)() is the next shmem_my_pe: what a tool itself calls must not come to its own wrapper.
#define WEFT_REAL(routine) \
  weft::interpose::next<decltype(pshmem_##routine)>(weft::api::Call::shmem_##routine, "pshmem_" #routine)
