// What the C++ library's containers allocate comes from here. Weft is built without exceptions, so memory that is not
// there would end the process with "terminate called"; it ends with a line. Who can go on without asks with
// std::nothrow. Each library of Weft has these for itself, with its own copy of the C++ library.
#include <cstdlib>
#include <new>

#include "base/no_memory.hpp"

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
