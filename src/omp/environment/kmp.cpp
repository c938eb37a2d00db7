// KMP_*, of programs that ask for LLVM's library: those of gcc do not know these variables.
#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "omp/environment/environment.hpp"
#include "omp/environment/parse.hpp"
#include "omp/state/icv.hpp"

namespace weft::omp {
namespace {

// By the name that the program has for this library.
bool is_asked_for_as_llvms() noexcept {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&is_asked_for_as_llvms), &info) == 0 || info.dli_fname == nullptr) {
    return false;
  }
  const char* const slash = std::strrchr(info.dli_fname, '/');
  const char* const name = slash != nullptr ? slash + 1 : info.dli_fname;
  return std::strncmp(name, "libomp.", 7) == 0 || std::strncmp(name, "libiomp", 7) == 0;
}

bool is_set(const char* name) noexcept { return std::getenv(name) != nullptr; }

bool says(const char* name, const char* value) noexcept {
  const char* text = std::getenv(name);
  if (text == nullptr || !word(text, value)) {
    return false;
  }
  skip_blanks(text);
  return *text == '\0';
}

// What kmp_get_blocktime() says, whatever OMP_WAIT_POLICY does.
void read_blocktime() noexcept {
  if (says("KMP_BLOCKTIME", "infinite")) {
    g_settings.blocktime = INT_MAX;
  } else if (unsigned long milliseconds = 0; read_number("KMP_BLOCKTIME", milliseconds, true)) {
    // The greatest number is no end, and numbers end below it.
    g_settings.blocktime = static_cast<int>(std::min<unsigned long>(milliseconds, INT_MAX - 1));
  }
}

void read_waiting() noexcept {
  if (says("KMP_BLOCKTIME", "infinite") || says("KMP_LIBRARY", "turnaround")) {
    g_settings.wait_policy = 1;
  } else if (says("KMP_BLOCKTIME", "0")) {
    g_settings.wait_policy = 0;
  }
}

struct Unheeded {
  const char* name;
  const char* instead;
  const char* but;  // the value that asks for nothing
};
constexpr Unheeded kUnheeded[] = {
    {"KMP_AFFINITY", "OMP_PROC_BIND and OMP_PLACES say where threads run", "disabled"},
    {"KMP_HW_SUBSET", "OMP_PLACES says which processors there are", ""},
    {"KMP_PLACE_THREADS", "OMP_PLACES says which processors there are", ""},
    {"KMP_HIDDEN_HELPER_AFFINITY", "there are no such threads", ""},
    {"KMP_FORCE_REDUCTION", "reductions are done in one way", ""},
    {"KMP_TASKING", "tasks are deferred", ""},
};

}  // namespace

void tell_kmp() noexcept {
  if (!is_asked_for_as_llvms() || says("KMP_WARNINGS", "0") || says("KMP_WARNINGS", "false") ||
      says("KMP_WARNINGS", "off")) {
    return;
  }
  for (const Unheeded& each : kUnheeded) {
    if (is_set(each.name) && !says(each.name, each.but) && !says(each.name, "none")) {
      (void)std::fprintf(stderr, "OMP: Warning: %s=%.100s is not heeded: %s; KMP_WARNINGS=0 leaves this line out\n",
                         each.name, std::getenv(each.name), each.instead);
    }
  }
}

void read_kmp(bool has_schedule) noexcept {
  g_settings.is_llvms = is_asked_for_as_llvms();
  if (!g_settings.is_llvms) {
    return;
  }
  if (!is_set("OMP_WAIT_POLICY")) {
    read_waiting();
  }
  read_blocktime();
  // Loops are static where nobody has said anything that can be read, and monotonic where that was said.
  if (const char* text = std::getenv("OMP_SCHEDULE"); !has_schedule || text == nullptr) {
    g_settings.icv.schedule = kStatic;
    g_settings.icv.chunk = 0;
  } else if (g_settings.icv.schedule == (kStatic | kMonotonic) && !word(text, "monotonic")) {
    g_settings.icv.schedule = kStatic;
  }
  if (!is_set("OMP_STACKSIZE") && !is_set("GOMP_STACKSIZE")) {
    (void)read_bytes("KMP_STACKSIZE", g_settings.stack_bytes, 0);
  }
  if (int limit = 0; !is_set("OMP_THREAD_LIMIT") &&
                     (read_int("KMP_DEVICE_THREAD_LIMIT", limit, false) || read_int("KMP_ALL_THREADS", limit, false))) {
    g_settings.icv.thread_limit = static_cast<unsigned>(limit);
  }
  if (int limit = 0; !is_set("OMP_TEAMS_THREAD_LIMIT") && read_int("KMP_TEAMS_THREAD_LIMIT", limit, false)) {
    g_settings.teams_thread_limit = static_cast<unsigned>(limit);
  }
}

}  // namespace weft::omp
