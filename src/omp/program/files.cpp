#include "omp/program/files.hpp"

#include <dlfcn.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"
#include "omp/program/program.hpp"
#include "omp/program/real.hpp"
#include "os/mapping.hpp"
#include "os/where.hpp"

namespace weft::omp::program {
namespace {

constexpr std::size_t kRoom = 1024;  // a FILE of glibc has some 550
constexpr int kRooms = 1024;
constexpr std::size_t kPart = kRoom * kRooms;  // of a process
static_assert(kPart % os::kPage == 0);

// For who is told; in shared memory.
struct Opened {
  char name[56];
  const void* site;
};

// The rooms of all processes, of which each may touch its own.
constinit std::uintptr_t g_rooms = 0;
constinit Opened* g_opened = nullptr;
constinit std::atomic<bool> g_taken[kRooms] = {};

// The calling thread opens a file; and the room that this one has.
constexpr int kNoRoom = -1;
struct Opening {
  bool now = false;
  int room = kNoRoom;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Opening t_opening;

std::uintptr_t part_of(int process) noexcept { return g_rooms + static_cast<std::size_t>(process) * kPart; }

Opened& opened_by(int process, int room) noexcept { return g_opened[process * kRooms + room]; }

// Pages come while it is told of, for which memory is wanted too: then nothing is being opened any more.
template <class Open>
std::FILE* with_room(const char* name, const void* site, Open&& open) noexcept {
  t_opening = {true, kNoRoom};
  std::FILE* const file = open();
  t_opening.now = false;
  if (file != nullptr && t_opening.room != kNoRoom) {
    Opened& opened = opened_by(job::node().me, t_opening.room);
    (void)std::snprintf(opened.name, sizeof opened.name, "%s", name);
    opened.site = site;
  }
  return file;
}

bool is_of_libc(const void* code) noexcept {
  static const void* const base = [] {
    Dl_info info{};
    return ::dladdr(::dlsym(RTLD_NEXT, "fopen"), &info) != 0 ? info.dli_fbase : nullptr;
  }();
  Dl_info info{};
  return ::dladdr(code, &info) != 0 && info.dli_fbase == base;
}

template <class Open>
std::FILE* open_named(const char* function, const char* name, const char* mode, const void* site) noexcept {
  char copy[PATH_MAX];
  name = name_here(name, copy);
  return with_room(name, site, [&] { return real<Open>(function)(name, mode); });
}

}  // namespace

void begin_files() noexcept {
  const job::Node& node = job::node();
  const auto processes = static_cast<std::size_t>(node.n_pes);
  // Behind the shared memory there is nothing of any process's, as a rule.
  const std::uintptr_t at = dsm::g.base + dsm::g.bytes;
  g_opened = static_cast<Opened*>(
      dsm::from(0, node.me == 0 ? dsm::allocate_zeros(processes * kRooms * sizeof(Opened)) : nullptr));
  if (g_opened == nullptr || !os::reserve_at(at, processes * kPart)) {
    return;
  }
  const std::uintptr_t mine = at + static_cast<std::size_t>(node.me) * kPart;
  if (os::map_private_at(mine, kPart)) {
    g_rooms = at;
  }
}

const char* name_here(const char* name, char (&copy)[PATH_MAX]) noexcept {
  return name != nullptr && ::strnlen(name, sizeof copy) < sizeof copy ? std::strcpy(copy, name) : name;
}

void* room_for_file(std::size_t bytes, const void* caller) noexcept {
  if (!t_opening.now || t_opening.room != kNoRoom || g_rooms == 0 || bytes > kRoom || !is_of_libc(caller)) {
    return nullptr;
  }
  for (int k = 0; k < kRooms; ++k) {
    // Acquire: who had it has done with it.
    if (!g_taken[k].load(std::memory_order_relaxed) && !g_taken[k].exchange(true, std::memory_order_acquire)) {
      t_opening.room = k;
      return reinterpret_cast<void*>(part_of(job::node().me) + static_cast<std::size_t>(k) * kRoom);
    }
  }
  return nullptr;
}

bool free_file(void* room) noexcept {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(room) - part_of(job::node().me);
  if (g_rooms == 0 || offset >= kPart) {
    return false;
  }
  // Release: pairs with room_for_file().
  g_taken[offset / kRoom].store(false, std::memory_order_release);
  return true;
}

const char* whose_file(std::uintptr_t at) noexcept {
  const job::Node& node = job::node();
  const std::uintptr_t offset = at - g_rooms;
  if (g_rooms == 0 || offset >= static_cast<std::size_t>(node.n_pes) * kPart) {
    return nullptr;
  }
  const auto process = static_cast<int>(offset / kPart);
  const Opened& opened = opened_by(process, static_cast<int>(offset % kPart / kRoom));
  char place[256];
  // In a library, as that of C++ is, nothing is worth telling.
  const bool known = os::tell_place(reinterpret_cast<std::uintptr_t>(opened.site), place, sizeof place) &&
                     std::strstr(place, " at ") != nullptr;
  static constinit char text[640];
  (void)std::snprintf(
      text, sizeof text,
      "OpenMP: a thread of process %d uses the file %.55s, which a thread of process %d has opened%s%s; "
      "files are of one process: let the threads that use it open it, or the one that opened it do all",
      node.me, opened.name, process, known ? " in " : "", known ? place : "");
  return text;
}

}  // namespace weft::omp::program

using weft::omp::program::open_named;
using weft::omp::program::real;
using weft::omp::program::with_room;

#define CALLER __builtin_return_address(0)

#pragma GCC visibility push(default)
extern "C" {

std::FILE* fopen(const char* name, const char* mode) {
  return open_named<decltype(::fopen)>("fopen", name, mode, CALLER);
}
std::FILE* fopen64(const char* name, const char* mode) {
  return open_named<decltype(::fopen64)>("fopen64", name, mode, CALLER);
}
std::FILE* fdopen(int fd, const char* mode) noexcept {
  return with_room("of a descriptor", CALLER, [&] { return real<decltype(::fdopen)>("fdopen")(fd, mode); });
}
std::FILE* tmpfile() {
  return with_room("of tmpfile", CALLER, [] { return real<decltype(::tmpfile)>("tmpfile")(); });
}
std::FILE* tmpfile64() {
  return with_room("of tmpfile", CALLER, [] { return real<decltype(::tmpfile64)>("tmpfile64")(); });
}
std::FILE* popen(const char* command, const char* mode) {
  return with_room("of popen", CALLER, [&] { return real<decltype(::popen)>("popen")(command, mode); });
}

}  // extern "C"
#pragma GCC visibility pop
