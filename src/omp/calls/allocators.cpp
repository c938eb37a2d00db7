// omp_alloc and its kin. All memory spaces are the host's; traits are kept: alignment, a pool's size and what is done
// when it is used up.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/sync/locks.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {
namespace {

using Handle = std::uintptr_t;
constexpr Handle kNull = 0;
constexpr Handle kDefault = 1;
constexpr Handle kLastPredefined = 8;

// omp_alloctrait_key_t and values, of omp.h.
enum Key : int { kSync = 1, kAlignment, kAccess, kPoolSize, kFallback, kFallbackData, kPinned, kPartition };
constexpr Handle kDefaultValue = ~Handle{0};
enum Fallback : Handle { kDefaultMemory = 11, kNullPointer = 12, kAbort = 13, kOtherAllocator = 14 };

struct Trait {
  int key;
  Handle value;
};

struct Allocator {
  std::size_t alignment = 1;
  std::size_t pool = SIZE_MAX;
  std::size_t used = 0;  // of the pool, by all processes
  Mutex pool_lock;
  Handle fallback = kDefaultMemory;
  Handle other = kNull;
};

/// Before each block: what free() and realloc() must know.
struct Header {
  void* memory;
  std::size_t bytes;  // taken from the pool
  std::size_t asked;
  Handle allocator;
};

Allocator* own(Handle handle) noexcept {
  return handle > kLastPredefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

// Whoever frees a block may be in another process than who took it.
bool take_from_pool(Allocator* allocator, std::size_t bytes) noexcept {
  if (allocator == nullptr || allocator->pool == SIZE_MAX) {
    return true;
  }
  lock(allocator->pool_lock, ThreadWaits::kNot, nullptr);
  const bool has = bytes <= allocator->pool && allocator->used <= allocator->pool - bytes;
  allocator->used += has ? bytes : 0;
  unlock(allocator->pool_lock);
  return has;
}

void give_to_pool(Allocator* allocator, std::size_t bytes) noexcept {
  if (allocator != nullptr && allocator->pool != SIZE_MAX) {
    lock(allocator->pool_lock, ThreadWaits::kNot, nullptr);
    allocator->used -= bytes;
    unlock(allocator->pool_lock);
  }
}

void* in_space(std::size_t bytes, std::size_t alignment, Handle handle, bool zeros) noexcept {
  std::size_t all = 0;
  alignment = std::max({alignment, sizeof(void*) * 2});
  if (__builtin_add_overflow(bytes, sizeof(Header) + alignment, &all)) {
    return nullptr;
  }
  Allocator* const allocator = own(handle);
  if (!take_from_pool(allocator, all)) {
    return nullptr;
  }
  void* const memory = image::allocate_for_program(all, zeros);
  if (memory == nullptr) {
    give_to_pool(allocator, all);
    return nullptr;
  }
  const auto from = reinterpret_cast<std::uintptr_t>(memory) + sizeof(Header);
  void* const block = reinterpret_cast<void*>((from + alignment - 1) & ~(alignment - 1));
  static_cast<Header*>(block)[-1] = {memory, all, bytes, handle};
  return block;
}

void* take(std::size_t alignment, std::size_t bytes, Handle handle, bool zeros) noexcept {
  if (bytes == 0 || (alignment & (alignment - 1)) != 0) {
    return nullptr;
  }
  if (handle == kNull) {
    handle = self().task->icv.allocator;
  }
  for (int steps = 0; steps < 64; ++steps) {  // allocators that name each other end here
    const Allocator* const allocator = own(handle);
    const std::size_t at_least = std::max(alignment, allocator != nullptr ? allocator->alignment : 1);
    if (void* const block = in_space(bytes, at_least, handle, zeros); block != nullptr) {
      return block;
    }
    if (allocator == nullptr) {
      if (handle == kDefault) {
        return nullptr;
      }
      handle = kDefault;
      continue;
    }
    switch (allocator->fallback) {
      case kNullPointer: return nullptr;
      case kAbort: die("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
      case kOtherAllocator: handle = allocator->other; break;
      default: handle = kDefault; break;
    }
  }
  return nullptr;
}

void give_back(void* block) noexcept {
  if (block == nullptr) {
    return;
  }
  const Header header = static_cast<Header*>(block)[-1];
  give_to_pool(own(header.allocator), header.bytes);
  std::free(header.memory);
}

bool apply(Allocator& allocator, const Trait& trait, Handle space) noexcept {
  const bool usual = trait.value == kDefaultValue;
  switch (trait.key) {
    case kAlignment:
      allocator.alignment = usual ? 1 : trait.value;
      return allocator.alignment != 0 && (allocator.alignment & (allocator.alignment - 1)) == 0;
    case kPoolSize: allocator.pool = usual ? SIZE_MAX : trait.value; return true;
    case kFallback:
      allocator.fallback = usual ? Handle{kDefaultMemory} : trait.value;
      return allocator.fallback >= kDefaultMemory && allocator.fallback <= kOtherAllocator;
    case kFallbackData: allocator.other = trait.value; return true;
    case kPinned: return usual || trait.value == 0;  // no memory is pinned here
    case kSync:
    case kAccess:
    case kPartition: return true;
    default: (void)space; return false;
  }
}

Handle make(Handle space, int n, const Trait* traits) noexcept {
  if (space > 4) {
    return kNull;
  }
  // Its handle is the program's, in all processes.
  void* const memory = image::allocate_for_program(sizeof(Allocator), false, alignof(Allocator));
  if (memory == nullptr) {
    return kNull;
  }
  auto* const made = new (memory) Allocator;
  for (int k = 0; k < n; ++k) {
    if (!apply(*made, traits[k], space)) {
      std::free(made);
      return kNull;
    }
  }
  return reinterpret_cast<Handle>(made);
}

void destroy(Handle handle) noexcept {
  if (Allocator* const allocator = own(handle); allocator != nullptr) {
    forget_lock(&allocator->pool_lock);
    std::free(allocator);
  }
}

void* zeros(std::size_t alignment, std::size_t n, std::size_t bytes, Handle handle) noexcept {
  std::size_t all = 0;
  return __builtin_mul_overflow(n, bytes, &all) ? nullptr : take(alignment, all, handle, true);
}

// A block of memory's size a multiple of its alignment is what the standard asks of callers; nothing here needs it.
void* again(void* block, std::size_t bytes, Handle handle, Handle free_handle) noexcept {
  if (block == nullptr) {
    return take(1, bytes, handle, false);
  }
  if (bytes == 0) {
    give_back(block);
    return nullptr;
  }
  const Header header = static_cast<Header*>(block)[-1];
  if (handle == kNull) {
    handle = free_handle != kNull ? free_handle : header.allocator;
  }
  void* const made = take(1, bytes, handle, false);
  if (made != nullptr) {
    std::memcpy(made, block, std::min(bytes, header.asked));
    give_back(block);
  }
  return made;
}

// Blocks of GOMP_alloc that gfortran's program may give to free() and realloc(), which ask first. What stands before a
// block does not tell: it may be anybody's. In memory of the program, as another process may ask.
struct Noted {
  const void* block;
  Noted* next;
};
Mutex g_noted_lock;
constinit Noted* g_noted = nullptr;

// Where there is one memory, processes share this library's data, too.
Noted** first_noted() noexcept {
  auto** const far = reinterpret_cast<Noted**>(far_word());
  return far != nullptr ? far : &g_noted;
}

void note(const void* block) noexcept {
  auto* const noted = static_cast<Noted*>(image::allocate(sizeof(Noted)));
  if (noted == nullptr) {
    die("Out of memory allocating %lu bytes", static_cast<unsigned long>(sizeof(Noted)));
  }
  lock(g_noted_lock, ThreadWaits::kNot, nullptr);
  Noted** const first = first_noted();
  *noted = {block, *first};
  *first = noted;
  unlock(g_noted_lock);
}

// Once: whoever has asked takes it.
bool was_noted(const void* block) noexcept {
  lock(g_noted_lock, ThreadWaits::kNot, nullptr);
  Noted* found = nullptr;
  for (Noted** at = first_noted(); *at != nullptr; at = &(*at)->next) {
    if ((*at)->block == block) {
      found = *at;
      *at = found->next;
      break;
    }
  }
  unlock(g_noted_lock);
  if (found != nullptr) {
    image::free(found);
  }
  return found != nullptr;
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::Handle;
using weft::omp::Trait;

void* omp_alloc(size_t bytes, Handle allocator) { return weft::omp::take(1, bytes, allocator, false); }
void* omp_aligned_alloc(size_t alignment, size_t bytes, Handle allocator) {
  return weft::omp::take(alignment, bytes, allocator, false);
}
void* omp_calloc(size_t n, size_t bytes, Handle allocator) { return weft::omp::zeros(1, n, bytes, allocator); }
void* omp_aligned_calloc(size_t alignment, size_t n, size_t bytes, Handle allocator) {
  return weft::omp::zeros(alignment, n, bytes, allocator);
}
void* omp_realloc(void* block, size_t bytes, Handle allocator, Handle free_allocator) {
  return weft::omp::again(block, bytes, allocator, free_allocator);
}
void omp_free(void* block, Handle) { weft::omp::give_back(block); }
// Of the allocate directive and clause: memory, or the program ends.
void* GOMP_alloc(size_t alignment, size_t bytes, Handle allocator) {
  void* const block = weft::omp::take(alignment, bytes, allocator, false);
  if (block == nullptr && bytes != 0) {
    weft::omp::die("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
  }
  return block;
}
void GOMP_free(void* block, Handle) { weft::omp::give_back(block); }
void GOMP_add_alloc(void* block) {
  if (block != nullptr) {
    weft::omp::note(block);
  }
}
bool GOMP_is_alloc(void* block) { return block != nullptr && weft::omp::was_noted(block); }

Handle omp_init_allocator(Handle space, int n, const Trait* traits) { return weft::omp::make(space, n, traits); }
Handle omp_init_allocator_(const Handle* space, const int32_t* n, const Trait* traits) {
  return weft::omp::make(*space, *n, traits);
}
Handle omp_init_allocator_8_(const Handle* space, const int64_t* n, const Trait* traits) {
  return weft::omp::make(*space, static_cast<int>(std::clamp<int64_t>(*n, 0, INT32_MAX)), traits);
}
void omp_destroy_allocator(Handle allocator) { weft::omp::destroy(allocator); }
void omp_destroy_allocator_(const Handle* allocator) { weft::omp::destroy(*allocator); }
void omp_set_default_allocator(Handle allocator) {
  weft::omp::self().task->icv.allocator = allocator != weft::omp::kNull ? allocator : weft::omp::kDefault;
}
void omp_set_default_allocator_(const Handle* allocator) { omp_set_default_allocator(*allocator); }
Handle omp_get_default_allocator(void) { return weft::omp::self().task->icv.allocator; }
Handle omp_get_default_allocator_(void) { return omp_get_default_allocator(); }

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
