// The routines behind this tool: the next tool's, or libweft.so's own.
#pragma once

#include <pshmem.h>

#include <atomic>

#include "api/calls.hpp"

namespace weft::interpose {

extern constinit std::atomic<void*> g_next[api::kCalls];

/// Looks the name up among the libraries after this one, or ends the program with a line.
void* find_next(api::Call call, const char* name) noexcept;

inline void* next(api::Call call, const char* name) noexcept {
  // Acquire: with the routine comes the rest of the library (library.hpp), which another thread may have found.
  void* found = g_next[static_cast<std::size_t>(call)].load(std::memory_order_acquire);
  return found != nullptr ? found : find_next(call, name);
}

}  // namespace weft::interpose

/// The routine by its twin. No template does the cast: to clang two types that differ in noreturn alone have one name.
#define WEFT_NEXT(twin, name) reinterpret_cast<decltype(&twin)>(weft::interpose::next(weft::api::Call::name, #twin))

/// WEFT_REAL(my_pe)() is the next shmem_my_pe: what a tool itself calls must not come to its own wrapper.
#define WEFT_REAL(routine) WEFT_NEXT(pshmem_##routine, shmem_##routine)
