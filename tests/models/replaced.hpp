// Included before the code under test: its atomics, fences and yields are those of the explorer.
#pragma once

// What these include themselves is to be the library's.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/explore.hpp"

// NOLINTBEGIN(cert-dcl58-cpp, bugprone-*, google-*): the names have to be found where the code looks for them.
namespace std {
template <class T>
using explored_atomic = weft::explore::Atomic<T>;
inline void explored_fence(std::memory_order order,
                           const weft::explore::Site& site = weft::explore::Site::current()) noexcept {
  weft::explore::fence(order, site);
}
}  // namespace std
inline int explored_yield(const weft::explore::Site& site = weft::explore::Site::current()) noexcept {
  weft::explore::yield(site);
  return 0;
}
// NOLINTEND

#define atomic explored_atomic
#define atomic_thread_fence explored_fence
#define sched_yield explored_yield

// The code asks by these what the machine promises by itself (README.md).
#if !WEFT_EXPLORES_X86
#undef __x86_64__
#undef __i386__
#endif
