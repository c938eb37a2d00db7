// What tools use of libweft.so beside the routines. A tool is also loaded, when it is preloaded by hand, into programs
// that have no libweft.so, and must do no harm there; and into such as load it later, as a part of a module. So the
// dynamic linker is asked for all of it when the first routine is looked up.
#pragma once

#include "shmem.h"
#include "shmem/support.hpp"

namespace weft::interpose {

struct Library {
  shmem_ctx_t ctx_default;
  shmem_team_t team_world;
  shmem_team_t team_shared;
  [[gnu::noreturn]] void (*fail)(const char* routine, const char* text);
  decltype(&weft_support_say) say;
  decltype(&weft_support_caller_name) caller_name;
  decltype(&weft_support_caller_site) caller_site;
  decltype(&weft_support_set_place) set_place;
  decltype(&weft_support_set_tool_site) set_tool_site;
  decltype(&weft_support_memory) memory;
  decltype(&weft_support_describe) describe;
  decltype(&weft_support_heap_in_use) heap_in_use;
  decltype(&weft_support_heap_bytes) heap_bytes;
  decltype(&weft_support_heap_asked) heap_asked;
  decltype(&weft_support_lock_home) lock_home;
};

extern constinit Library g_library;

/// All null before the first call of a routine.
inline const Library& library() noexcept { return g_library; }

/// Called as soon as there is a library: for a tool that has something to tell it.
struct AtLibrary {
  explicit AtLibrary(void (*what)()) noexcept;
  void (*call)();
  const AtLibrary* next;
};

/// Finds all of it. `find` gives null for what is not there.
void bind_library(void* (*find)(const char* name)) noexcept;

}  // namespace weft::interpose

// The addresses of libweft.so's own objects, which this library cannot be linked with.
#undef SHMEM_CTX_DEFAULT
#undef SHMEM_TEAM_WORLD
#undef SHMEM_TEAM_SHARED
#define SHMEM_CTX_DEFAULT (weft::interpose::library().ctx_default)
#define SHMEM_TEAM_WORLD (weft::interpose::library().team_world)
#define SHMEM_TEAM_SHARED (weft::interpose::library().team_shared)
