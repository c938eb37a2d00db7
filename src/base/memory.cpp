// What the C++ library's containers allocate comes from here. Weft is built without exceptions, so memory that is not
// there would end the process with "terminate called"; it ends with a line. Who can go on without asks with
// std::nothrow.
#include "base/memory.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/report.hpp"

namespace weft::base {
namespace {

constinit std::atomic<NoMemory> g_no_memory = nullptr;

}  // namespace

// Relaxed, as below: a function of a library that stays loaded, and nothing goes with it.
void set_no_memory(NoMemory how) noexcept {
  if (how != nullptr) {
    g_no_memory.store(how, std::memory_order_relaxed);
  }
}

void no_memory(std::size_t bytes) noexcept {
  if (const NoMemory how = g_no_memory.load(std::memory_order_relaxed); how != nullptr) {
    how(bytes);
  }
  fail(nullptr,
       "the system has no more memory for this process, which needs %zu bytes; start fewer PEs, or raise its limit "
       "(ulimit -v, ulimit -d, or the container's)",
       bytes);
}

}  // namespace weft::base

// Not with the address sanitizer, which tells memory of malloc from that of new: parts of the C++ library that are
// shared there would give back by the one what was got by the other.
#if !defined(__SANITIZE_ADDRESS__)

namespace {

void* get(std::size_t bytes) noexcept { return std::malloc(bytes != 0 ? bytes : 1); }

void* get(std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto unit = static_cast<std::size_t>(alignment);
  void* at = nullptr;
  return ::posix_memalign(&at, unit < sizeof(void*) ? sizeof(void*) : unit, bytes != 0 ? bytes : 1) == 0 ? at : nullptr;
}

template <class... Alignment>
void* need(std::size_t bytes, Alignment... alignment) noexcept {
  void* at = get(bytes, alignment...);
  if (at == nullptr) [[unlikely]] {
    weft::base::no_memory(bytes);
  }
  return at;
}

}  // namespace

void* operator new(std::size_t bytes) { return need(bytes); }
void* operator new[](std::size_t bytes) { return need(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return need(bytes, alignment); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return need(bytes, alignment); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return get(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return get(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return get(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return get(bytes, alignment);
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }

#endif
