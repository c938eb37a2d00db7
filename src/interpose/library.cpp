#include "interpose/library.hpp"

#include <mutex>
#include <type_traits>

#include "base/no_memory.hpp"

namespace weft::interpose {
namespace {

constinit std::mutex g_mutex;
constinit const AtLibrary* g_first = nullptr;
constinit bool g_bound = false;

}  // namespace

constinit Library g_library = {};

// Constructors call it, before any routine can be called.
AtLibrary::AtLibrary(void (*what)()) noexcept : call(what), next(g_first) { g_first = this; }

void bind_library(void* (*find)(const char* name)) noexcept {
  const std::scoped_lock lock(g_mutex);
  if (g_bound) {
    return;
  }
  const auto bind = [&](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(find(name));
  };
  bind(g_library.ctx_default, "weft_ctx_default");
  bind(g_library.team_world, "weft_team_world");
  bind(g_library.team_shared, "weft_team_shared");
  bind(g_library.fail, "weft_support_fail");
  bind(g_library.say, "weft_support_say");
  bind(g_library.caller_name, "weft_support_caller_name");
  bind(g_library.caller_site, "weft_support_caller_site");
  bind(g_library.set_place, "weft_support_set_place");
  bind(g_library.set_tool_site, "weft_support_set_tool_site");
  bind(g_library.memory, "weft_support_memory");
  bind(g_library.describe, "weft_support_describe");
  bind(g_library.heap_in_use, "weft_support_heap_in_use");
  bind(g_library.heap_bytes, "weft_support_heap_bytes");
  bind(g_library.heap_asked, "weft_support_heap_asked");
  bind(g_library.lock_home, "weft_support_lock_home");
  base::NoMemory no_memory = nullptr;
  bind(no_memory, "weft_support_no_memory");
  base::set_no_memory(no_memory);
  g_bound = true;
  for (const AtLibrary* each = g_first; each != nullptr; each = each->next) {
    each->call();
  }
}

}  // namespace weft::interpose
