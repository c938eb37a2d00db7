#include "omp/program/carried.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <clocale>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "dsm/heap.hpp"
#include "omp/program/files.hpp"
#include "omp/program/real.hpp"

namespace weft::omp::program {
namespace {

// Something of it changed since it was last carried. The calls that do so are below; what they change is looked at only
// then, as a region is to cost no system calls.
constinit std::atomic<bool> g_changed = true;
constinit std::uint32_t g_version = 0;  // that this process has
constinit std::uint32_t g_told = 0;     // and, of process 0, that it has carried last

void note_change() noexcept { g_changed.store(true, std::memory_order_relaxed); }

void copy_text(char* to, std::size_t room, const char* from) noexcept {
  const std::size_t length = std::min(std::strlen(from), room - 1);
  std::memcpy(to, from, length);
  to[length] = '\0';
}

void carry_environment(Carried& carried) noexcept {
  std::size_t bytes = 0;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    bytes += std::strlen(*each) + 1;
  }
  (void)dsm::release_block(carried.environment);
  carried.environment = static_cast<char*>(dsm::allocate(bytes + 1, 16));
  carried.environment_bytes = 0;
  if (carried.environment == nullptr) {
    return;  // who is short of memory has been told
  }
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::size_t length = std::strlen(*each) + 1;
    if (carried.environment_bytes + length > bytes) {
      break;
    }
    std::memcpy(carried.environment + carried.environment_bytes, *each, length);
    carried.environment_bytes += length;
  }
}

bool names_same(const char* assignment, const char* other) noexcept {
  const std::size_t length = std::strcspn(assignment, "=");
  return std::strncmp(assignment, other, length) == 0 && other[length] == '=';
}

bool is_carried(const Carried& carried, const char* assignment) noexcept {
  for (std::size_t at = 0; at < carried.environment_bytes; at += std::strlen(carried.environment + at) + 1) {
    if (names_same(assignment, carried.environment + at)) {
      return true;
    }
  }
  return false;
}

void take_environment(const Carried& carried) noexcept {
  if (carried.environment == nullptr) {
    return;
  }
  for (std::size_t k = 0; environ != nullptr && environ[k] != nullptr;) {
    if (is_carried(carried, environ[k])) {
      ++k;
      continue;
    }
    char name[256];
    const std::size_t length = std::strcspn(environ[k], "=");
    if (length >= sizeof name) {
      ++k;
      continue;
    }
    std::memcpy(name, environ[k], length);
    name[length] = '\0';
    if (::unsetenv(name) != 0) {
      ++k;
    }
  }
  for (std::size_t at = 0; at < carried.environment_bytes; at += std::strlen(carried.environment + at) + 1) {
    const char* const assignment = carried.environment + at;
    const std::size_t length = std::strcspn(assignment, "=");
    char name[256];
    if (length >= sizeof name || assignment[length] != '=') {
      continue;
    }
    std::memcpy(name, assignment, length);
    name[length] = '\0';
    const char* const now = std::getenv(name);
    if (now == nullptr || std::strcmp(now, assignment + length + 1) != 0) {
      (void)::setenv(name, assignment + length + 1, 1);
    }
  }
}

}  // namespace

Modes modes_here() noexcept {
  Modes modes;
#if defined(__x86_64__)
  asm volatile("stmxcsr %0" : "=m"(modes.vector));
  asm volatile("fnstcw %0" : "=m"(modes.x87));
#endif
  return modes;
}

void take_modes(const Modes& modes) noexcept {
#if defined(__x86_64__)
  // Modes only: what has gone wrong before in another thread is not this one's.
  constexpr std::uint32_t kFlags = 0x3f;
  const std::uint32_t vector = modes.vector & ~kFlags;
  asm volatile("ldmxcsr %0" : : "m"(vector));
  asm volatile("fldcw %0" : : "m"(modes.x87));
#else
  (void)modes;
#endif
}

std::uint32_t carry_from_here(Carried& carried) noexcept {
  if (!g_changed.load(std::memory_order_relaxed) || !g_changed.exchange(false, std::memory_order_relaxed)) {
    return g_told;
  }
  carried.version = ++g_told;
  if (::getcwd(carried.folder, sizeof carried.folder) == nullptr) {
    carried.folder[0] = '\0';
  }
  auto* const mask = real<mode_t(mode_t)>("umask");
  carried.mask = mask(0);
  (void)mask(static_cast<mode_t>(carried.mask));
  const char* const locale = real<char*(int, const char*)>("setlocale")(LC_ALL, nullptr);
  copy_text(carried.locale, sizeof carried.locale, locale != nullptr ? locale : "C");
  carry_environment(carried);
  return g_told;
}

void carry_to_here(const Carried& carried, std::uint32_t version) noexcept {
  if (g_version == version) {
    return;
  }
  g_version = version;
  if (carried.folder[0] != '\0' && ::chdir(carried.folder) != 0) {
    base::say("OpenMP", "cannot go to %s, where process 0 is", carried.folder);
  }
  (void)::umask(static_cast<mode_t>(carried.mask));
  (void)std::setlocale(LC_ALL, carried.locale);
  take_environment(carried);
}

}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" {

int chdir(const char* path) noexcept {
  weft::omp::program::note_change();
  char copy[PATH_MAX];
  return weft::omp::program::real<int(const char*)>("chdir")(weft::omp::program::name_here(path, copy));
}
int fchdir(int fd) noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<int(int)>("fchdir")(fd);
}
mode_t umask(mode_t mask) noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<mode_t(mode_t)>("umask")(mask);
}
char* setlocale(int category, const char* locale) noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<char*(int, const char*)>("setlocale")(category, locale);
}
int setenv(const char* name, const char* value, int overwrite) noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<int(const char*, const char*, int)>("setenv")(name, value, overwrite);
}
int unsetenv(const char* name) noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<int(const char*)>("unsetenv")(name);
}
int putenv(char* assignment) noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<int(char*)>("putenv")(assignment);
}
int clearenv() noexcept {
  weft::omp::program::note_change();
  return weft::omp::program::real<int()>("clearenv")();
}

}  // extern "C"
#pragma GCC visibility pop
