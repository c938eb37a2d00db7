// These stand before the C library's, as this library is put before the program. A block goes back to where its address
// says it is from.
#include "omp/program/heap.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "dsm/heap.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"
#include "omp/program/callers.hpp"
#include "omp/program/files.hpp"

// The C library's own, by names that nobody interposes. All names with two underscores in this file are its.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* block);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace weft::omp::program {
namespace {

constinit std::atomic<bool> g_shares = false;
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kPage = 4096;

// Also after sharing has ended: such a block is nobody's then.
bool is_ours(const void* block) noexcept { return dsm::g.base != 0 && dsm::holds(block, 1); }

void* given(void* block, std::size_t bytes, const void* caller) noexcept {
  if (block == nullptr) {
    errno = ENOMEM;
  }
  dsm::note_block(block, bytes, caller);
  return block;
}

void* take(std::size_t bytes, std::size_t alignment, const void* caller) noexcept {
  if (!shares_with(caller)) {
    if (void* const room = room_for_file(bytes, caller); room != nullptr) {
      return room;
    }
    return alignment <= kAlignment ? __libc_malloc(bytes) : __libc_memalign(alignment, bytes);
  }
  return given(dsm::allocate(std::max<std::size_t>(bytes, 1), std::max(alignment, kAlignment)), bytes, caller);
}

void* take_zeros(std::size_t count, std::size_t bytes, const void* caller) noexcept {
  std::size_t all = 0;
  if (!shares_with(caller) || __builtin_mul_overflow(count, bytes, &all)) {
    return __libc_calloc(count, bytes);
  }
  return given(dsm::allocate_zeros(std::max<std::size_t>(all, 1)), all, caller);
}

// A block as the program names it is none, or no longer.
void need_block(const void* block, dsm::Arena::Freed freed) noexcept {
  using Freed = dsm::Arena::Freed;
  if (freed != Freed::kDone) {
    base::fail(job::current_call(), "%p %s; give back what malloc and the like have given, once", block,
               freed == Freed::kTwice    ? "was given back already"
               : freed == Freed::kInside ? "lies inside a block of shared memory, not at its beginning"
                                         : "is no block of shared memory, or not its beginning");
  }
}

void give(void* block) noexcept {
  if (!is_ours(block)) {
    if (!free_file(block)) {
      __libc_free(block);
    }
  } else if (g_shares.load(std::memory_order_relaxed)) {
    const int before = errno;
    need_block(block, dsm::release_block(block));
    errno = before;
  }
}

void* change(void* block, std::size_t bytes, const void* caller) noexcept {
  if (block == nullptr) {
    return take(bytes, kAlignment, caller);
  }
  if (!is_ours(block)) {
    return __libc_realloc(block, bytes);
  }
  if (!g_shares.load(std::memory_order_relaxed)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (bytes == 0) {
    give(block);
    return nullptr;
  }
  void* moved = nullptr;
  need_block(block, dsm::reallocate(block, bytes, &moved));
  return given(moved, bytes, caller);
}

char* copy_of(const char* text, std::size_t length, const void* caller) noexcept {
  auto* const copy = static_cast<char*>(take(length + 1, kAlignment, caller));
  if (copy != nullptr) {
    std::memcpy(copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

int print(char** to, const char* format, va_list arguments, const void* caller) noexcept {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0) {
    return length;
  }
  const auto room = static_cast<std::size_t>(length) + 1;
  *to = static_cast<char*>(take(room, kAlignment, caller));
  return *to == nullptr ? -1 : std::vsnprintf(*to, room, format, arguments);
}

// For a line to be read, where the program gives no room.
void give_first_room(char** line, std::size_t* room, const void* caller) noexcept {
  constexpr std::size_t kFirst = 120;
  if (line != nullptr && room != nullptr && *line == nullptr) {
    *line = static_cast<char*>(take(kFirst, kAlignment, caller));
    *room = *line != nullptr ? kFirst : 0;
  }
}

}  // namespace

// Relaxed: it changes while there is one thread.
bool shares_with(const void* caller) noexcept {
  return g_shares.load(std::memory_order_relaxed) && !is_private_code(caller);
}
void share_heap() noexcept { g_shares.store(true, std::memory_order_relaxed); }
void share_no_more() noexcept { g_shares.store(false, std::memory_order_relaxed); }

}  // namespace weft::omp::program

#define CALLER __builtin_return_address(0)

#pragma GCC visibility push(default)
extern "C" {

void* malloc(std::size_t bytes) noexcept {
  return weft::omp::program::take(bytes, weft::omp::program::kAlignment, CALLER);
}
void free(void* block) noexcept { weft::omp::program::give(block); }
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return weft::omp::program::take_zeros(count, bytes, CALLER);
}
void* realloc(void* block, std::size_t bytes) noexcept { return weft::omp::program::change(block, bytes, CALLER); }
void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return weft::omp::program::change(block, all, CALLER);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return weft::omp::program::take(bytes, std::bit_ceil(alignment), CALLER);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return weft::omp::program::take(bytes, std::bit_ceil(alignment), CALLER);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) {
    return EINVAL;
  }
  const int before = errno;
  void* const given = weft::omp::program::take(bytes, alignment, CALLER);
  errno = before;
  if (given == nullptr) {
    return ENOMEM;
  }
  *block = given;
  return 0;
}
void* valloc(std::size_t bytes) noexcept { return weft::omp::program::take(bytes, weft::omp::program::kPage, CALLER); }

// Of the C library's functions that return memory, those that programs use; what they return belongs to the program.
char* strdup(const char* text) noexcept { return weft::omp::program::copy_of(text, std::strlen(text), CALLER); }
char* __strdup(const char* text) noexcept { return weft::omp::program::copy_of(text, std::strlen(text), CALLER); }
char* strndup(const char* text, std::size_t most) noexcept {
  return weft::omp::program::copy_of(text, ::strnlen(text, most), CALLER);
}
int vasprintf(char** to, const char* format, va_list arguments) noexcept {
  return weft::omp::program::print(to, format, arguments, CALLER);
}
int __vasprintf_chk(char** to, int /*flag*/, const char* format, va_list arguments) noexcept {
  return weft::omp::program::print(to, format, arguments, CALLER);
}
int asprintf(char** to, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = weft::omp::program::print(to, format, arguments, CALLER);
  va_end(arguments);
  return length;
}
int __asprintf_chk(char** to, int /*flag*/, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = weft::omp::program::print(to, format, arguments, CALLER);
  va_end(arguments);
  return length;
}
// The C library makes the line larger by realloc, which leaves it where it is from.
ssize_t __getdelim(char** line, std::size_t* room, int end, FILE* stream);
ssize_t getdelim(char** line, std::size_t* room, int end, FILE* stream) {
  weft::omp::program::give_first_room(line, room, CALLER);
  return __getdelim(line, room, end, stream);
}
// The C library's header may have one to inline, which stands in the way of the name.
ssize_t read_line(char** line, std::size_t* room, FILE* stream) asm("getline");
ssize_t read_line(char** line, std::size_t* room, FILE* stream) {
  weft::omp::program::give_first_room(line, room, CALLER);
  return __getdelim(line, room, '\n', stream);
}
std::size_t malloc_usable_size(void* block) noexcept {
  if (weft::omp::program::is_ours(block)) {
    return weft::dsm::room_of_block(block);
  }
  using Size = std::size_t(void*);
  static auto* const real = reinterpret_cast<Size*>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
  return block == nullptr || real == nullptr ? 0 : real(block);
}

}  // extern "C"
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
