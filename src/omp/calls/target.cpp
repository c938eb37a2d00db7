// GOMP_target* and GOMP_teams*: no device is there, so regions run on the host, as libgomp has them; and the
// omp_target_* routines for the one device that there is.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/tasks/tasks.hpp"
#include "omp/team/league.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {
namespace {

constexpr unsigned kDependFlag = 1U << 3;  // GOMP_task's bits
constexpr unsigned kFirstPrivate = 13;     // kind of mapping: a copy, whose alignment's logarithm is in the upper bits
constexpr unsigned kMandatory = 1;

void must_not_offload() noexcept {
  if (g_settings.target_offload == kMandatory) {
    die("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
  }
}

// The region is a program of its own: no team, and the initial values of what tasks inherit.
void run_on_host(void (*body)(void*), void** addresses) noexcept {
  must_not_offload();
  Thread& me = self();
  const Position at = me.at;
  Task* const task = me.task;
  auto* const initial = new (need_memory(sizeof(Task), alignof(Task))) Task;
  make_implicit(*initial, task->icv, nullptr, nullptr);
  Work* const orphan = me.orphan;
  me.orphan = new (need_memory(sizeof(Work), alignof(Work))) Work;
  me.at = Position{};
  me.at.place = at.place;
  me.at.first_place = at.first_place;
  me.at.places = at.places;
  me.task = initial;
  body(addresses);
  std::free(me.orphan);
  me.orphan = orphan;
  me.at = at;
  me.task = task;
  std::free(initial);
}

struct Copies {
  void* memory = nullptr;
};

Copies copy_private(std::size_t n, void** addresses, const std::size_t* sizes, const unsigned short* kinds) noexcept {
  std::size_t bytes = 0;
  std::size_t most = 1;
  for (int pass = 0; pass < 2; ++pass) {
    Copies copies;
    if (pass == 1) {
      if (bytes == 0) {
        return copies;
      }
      copies.memory = need_memory(bytes, std::max(most, sizeof(void*)));
    }
    bytes = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if ((kinds[k] & 0xffU) != kFirstPrivate) {
        continue;
      }
      const std::size_t alignment = std::size_t{1} << (kinds[k] >> 8);
      most = std::max(most, alignment);
      bytes = (bytes + alignment - 1) & ~(alignment - 1);
      if (pass == 1) {
        char* const to = static_cast<char*>(copies.memory) + bytes;
        std::memcpy(to, addresses[k], sizes[k]);
        addresses[k] = to;
      }
      bytes += sizes[k];
    }
    if (pass == 1) {
      return copies;
    }
  }
  return {};
}

void wait_before(unsigned flags, void** depend, const void* site) noexcept {
  if ((flags & kDependFlag) != 0 || depend != nullptr) {
    Thread& me = self();
    if (depend != nullptr && me.at.team != nullptr && me.task->dependences != nullptr) {
      wait_for_dependences(me, depend, site);
    }
  }
}

// An array of omp_depend_t, each of two words.
void wait_for_objects(int n, void** objects, const void* site) noexcept {
  Thread& me = self();
  if (n <= 0 || me.at.team == nullptr) {
    return;
  }
  auto** const depend = static_cast<void**>(need_memory(sizeof(void*) * (static_cast<std::size_t>(n) + 5)));
  std::fill_n(depend, 5, nullptr);
  depend[1] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(n));
  for (int k = 0; k < n; ++k) {
    depend[5 + k] = objects + 2 * static_cast<std::ptrdiff_t>(k);
  }
  wait_for_dependences(me, depend, site);
  std::free(depend);
}

// omp_get_num_devices(), omp_initial_device, omp_default_device
bool is_host(int device) noexcept { return device == 0 || device == -1 || device == -5; }

constexpr const char* kHost = "OMP_INITIAL_DEVICE";
constexpr int kInvalidDevice = -4;

bool copy_box(char* to, const char* from, std::size_t element, int n, const std::size_t* volume,
              const std::size_t* to_at, const std::size_t* from_at, const std::size_t* to_size,
              const std::size_t* from_size) noexcept {
  std::size_t to_offset = 0;
  std::size_t from_offset = 0;
  std::size_t length = 0;
  if (n == 1) {
    if (__builtin_mul_overflow(element, volume[0], &length) || __builtin_mul_overflow(element, to_at[0], &to_offset) ||
        __builtin_mul_overflow(element, from_at[0], &from_offset)) {
      return false;
    }
    std::memcpy(to + to_offset, from + from_offset, length);
    return true;
  }
  std::size_t to_slice = element;
  std::size_t from_slice = element;
  for (int k = 1; k < n; ++k) {
    if (__builtin_mul_overflow(to_slice, to_size[k], &to_slice) ||
        __builtin_mul_overflow(from_slice, from_size[k], &from_slice)) {
      return false;
    }
  }
  if (__builtin_mul_overflow(to_slice, to_at[0], &to_offset) ||
      __builtin_mul_overflow(from_slice, from_at[0], &from_offset)) {
    return false;
  }
  for (std::size_t k = 0; k < volume[0]; ++k) {
    if (!copy_box(to + to_offset + k * to_slice, from + from_offset + k * from_slice, element, n - 1, volume + 1,
                  to_at + 1, from_at + 1, to_size + 1, from_size + 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace

}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming,readability-function-size): compilers call them so.
extern "C" {
using weft::omp::g_settings;

void GOMP_target(int, void (*body)(void*), const void*, size_t, void** addresses, size_t*, unsigned char*) {
  weft::omp::run_on_host(body, addresses);
}
void GOMP_target_ext(int, void (*body)(void*), size_t n, void** addresses, size_t* sizes, unsigned short* kinds,
                     unsigned flags, void** depend, void**) {
  weft::omp::wait_before(flags, depend, WEFT_SITE);
  const weft::omp::Copies copies = weft::omp::copy_private(n, addresses, sizes, kinds);
  weft::omp::run_on_host(body, addresses);
  std::free(copies.memory);
}
// What is mapped is where it was.
void GOMP_target_data(int, const void*, size_t, void**, size_t*, unsigned char*) { weft::omp::must_not_offload(); }
void GOMP_target_data_ext(int, size_t, void**, size_t*, unsigned short*) { weft::omp::must_not_offload(); }
void GOMP_target_end_data(void) {}
void GOMP_target_update(int, const void*, size_t, void**, size_t*, unsigned char*) { weft::omp::must_not_offload(); }
void GOMP_target_update_ext(int, size_t, void**, size_t*, unsigned short*, unsigned flags, void** depend) {
  weft::omp::wait_before(flags, depend, WEFT_SITE);
  weft::omp::must_not_offload();
}
void GOMP_target_enter_exit_data(int, size_t, void**, size_t*, unsigned short*, unsigned flags, void** depend) {
  weft::omp::wait_before(flags, depend, WEFT_SITE);
  weft::omp::must_not_offload();
}
// Images for devices, of which none is here: there is nobody to load them.
void GOMP_offload_register(const void*, int, const void*) {}
void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
void GOMP_offload_unregister(const void*, int, const void*) {}
void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

// In a target region: one team after the other.
void GOMP_teams(unsigned, unsigned limit) {
  if (limit != 0) {
    weft::omp::self().task->icv.thread_limit = std::min(limit, static_cast<unsigned>(INT_MAX));
  }
  weft::omp::set_league(1, 0);
}
bool GOMP_teams4(unsigned low, unsigned, unsigned limit, bool first) {
  const unsigned teams = weft::omp::number_of_teams();
  const unsigned next = weft::omp::number_of_team() + 1;
  if (first) {
    if (limit != 0) {
      weft::omp::self().task->icv.thread_limit = std::min(limit, static_cast<unsigned>(INT_MAX));
    }
    weft::omp::set_league(std::max(low, 1U), 0);
    return true;
  }
  weft::omp::set_league(next < teams ? teams : 1, next < teams ? next : 0);
  return next < teams;
}

// On the host: one team after the other.
void GOMP_teams_reg(void (*body)(void*), void* argument, unsigned teams, unsigned limit, unsigned) {
  const unsigned n = teams != 0 ? teams : g_settings.num_teams != 0 ? g_settings.num_teams : 3;
  weft::omp::run_league(weft::omp::self(), n, limit, body, argument);
}

void* omp_target_alloc(size_t bytes, int device) {
  return weft::omp::is_host(device) ? weft::omp::image::allocate_for_program(bytes, false) : nullptr;
}
void omp_target_free(void* block, int) { std::free(block); }
int omp_target_is_present(const void*, int device) { return weft::omp::is_host(device) ? 1 : 0; }
int omp_target_memcpy(void* to, const void* from, size_t bytes, size_t to_offset, size_t from_offset, int to_device,
                      int from_device) {
  if (!weft::omp::is_host(to_device) || !weft::omp::is_host(from_device)) {
    return EINVAL;
  }
  std::memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, bytes);
  return 0;
}
int omp_target_memcpy_rect(void* to, const void* from, size_t element, int n, const size_t* volume, const size_t* to_at,
                           const size_t* from_at, const size_t* to_size, const size_t* from_size, int to_device,
                           int from_device) {
  if (to == nullptr && from == nullptr) {
    return INT_MAX;  // how many dimensions there may be
  }
  if (!weft::omp::is_host(to_device) || !weft::omp::is_host(from_device) || n < 1) {
    return EINVAL;
  }
  return weft::omp::copy_box(static_cast<char*>(to), static_cast<const char*>(from), element, n, volume, to_at, from_at,
                             to_size, from_size)
             ? 0
             : EINVAL;
}
// What may be done later is done now, after what it waits for.
int omp_target_memcpy_async(void* to, const void* from, size_t bytes, size_t to_offset, size_t from_offset,
                            int to_device, int from_device, int n_depend, void** depend) {
  weft::omp::wait_for_objects(n_depend, depend, WEFT_SITE);
  return omp_target_memcpy(to, from, bytes, to_offset, from_offset, to_device, from_device);
}
int omp_target_memcpy_rect_async(void* to, const void* from, size_t element, int n, const size_t* volume,
                                 const size_t* to_at, const size_t* from_at, const size_t* to_size,
                                 const size_t* from_size, int to_device, int from_device, int n_depend, void** depend) {
  weft::omp::wait_for_objects(n_depend, depend, WEFT_SITE);
  return omp_target_memcpy_rect(to, from, element, n, volume, to_at, from_at, to_size, from_size, to_device,
                                from_device);
}
// On the host everything is where it is.
void* omp_get_mapped_ptr(const void* address, int device) {
  return weft::omp::is_host(device) ? const_cast<void*>(address) : nullptr;
}
int omp_target_is_accessible(const void* address, size_t bytes, int device) {
  return address != nullptr && bytes != 0 && weft::omp::is_host(device) ? 1 : 0;
}
void* omp_target_memset(void* at, int value, size_t bytes, int device) {
  return weft::omp::is_host(device) ? std::memset(at, value, bytes) : at;
}
void* omp_target_memset_async(void* at, int value, size_t bytes, int device, int n_depend, void** depend) {
  weft::omp::wait_for_objects(n_depend, depend, WEFT_SITE);
  return omp_target_memset(at, value, bytes, device);
}
// Functions are called by the addresses that they have here.
void* GOMP_target_map_indirect_ptr(void* function) { return function; }

const char* omp_get_uid_from_device(int device) { return weft::omp::is_host(device) ? weft::omp::kHost : nullptr; }
void omp_get_uid_from_device_(const char** uid, size_t* bytes, int32_t device) {
  *uid = omp_get_uid_from_device(device);
  *bytes = *uid != nullptr ? std::strlen(*uid) : 0;
}
void omp_get_uid_from_device_8_(const char** uid, size_t* bytes, int64_t device) {
  omp_get_uid_from_device_(uid, bytes, static_cast<int32_t>(device));
}
int omp_get_device_from_uid_(const char* uid, size_t bytes) {
  return std::string_view(uid, bytes) == weft::omp::kHost ? 0 : weft::omp::kInvalidDevice;
}
int omp_get_device_from_uid(const char* uid) {
  return uid != nullptr ? omp_get_device_from_uid_(uid, std::strlen(uid)) : weft::omp::kInvalidDevice;
}
int omp_target_associate_ptr(const void*, const void*, size_t, size_t, int) { return EINVAL; }
int omp_target_disassociate_ptr(const void*, int) { return EINVAL; }

}  // extern "C"
// NOLINTEND(readability-identifier-naming,readability-function-size)
#pragma GCC visibility pop
