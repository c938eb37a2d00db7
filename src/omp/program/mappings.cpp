// Anonymous memory that the program maps is the threads' of all processes, as what malloc gives it is.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "dsm/heap.hpp"
#include "dsm/state.hpp"
#include "omp/program/callers.hpp"
#include "omp/program/heap.hpp"
#include "os/mapping.hpp"

namespace weft::omp::program {
namespace {

template <class Function>
Function* real(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Wherever it may be, to read and write, and not addresses that are kept for later: those are more than there is.
bool is_plain(const void* wish, std::size_t bytes, int access, int flags) noexcept {
  constexpr int kKnown = MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE;
  return wish == nullptr && bytes > 0 && bytes <= dsm::g.bytes / 2 && access == (PROT_READ | PROT_WRITE) &&
         (flags & MAP_ANONYMOUS) != 0 && (flags & ~kKnown) == 0;
}

// Weft itself moves what is shared.
bool is_ours(const void* at, const void* caller) noexcept {
  return dsm::g.base != 0 && dsm::holds(at, 1) && shares_with(caller);
}

void* map(std::size_t bytes) noexcept {
  void* const block = dsm::allocate_zeros(os::round_up(bytes, os::kPage), os::kPage);
  if (block == nullptr) {
    errno = ENOMEM;
  }
  return block != nullptr ? block : MAP_FAILED;
}

}  // namespace
}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" {

void* mmap(void* wish, std::size_t bytes, int access, int flags, int fd, off_t offset) noexcept {
  using namespace weft::omp::program;
  if (is_plain(wish, bytes, access, flags) && shares_with(__builtin_return_address(0))) {
    return map(bytes);
  }
  static auto* const call = real<decltype(::mmap)>("mmap");
  return call(wish, bytes, access, flags, fd, offset);
}
void* mmap64(void* wish, std::size_t bytes, int access, int flags, int fd, off64_t offset) noexcept {
  using namespace weft::omp::program;
  if (is_plain(wish, bytes, access, flags) && shares_with(__builtin_return_address(0))) {
    return map(bytes);
  }
  static auto* const call = real<decltype(::mmap64)>("mmap64");
  return call(wish, bytes, access, flags, fd, offset);
}
// A part of a mapping stays, as a block is given back whole.
int munmap(void* at, std::size_t bytes) noexcept {
  using namespace weft::omp::program;
  if (is_ours(at, __builtin_return_address(0))) {
    const std::size_t room = weft::dsm::room_of_block(at);
    if (room != 0 && bytes > room / 2) {
      (void)weft::dsm::release_block(at);
    }
    return 0;
  }
  static auto* const call = real<decltype(::munmap)>("munmap");
  return call(at, bytes);
}
// NOLINTNEXTLINE(cert-dcl50-cpp): as the C library declares it.
void* mremap(void* at, std::size_t bytes, std::size_t wanted, int flags, ...) noexcept {
  using namespace weft::omp::program;
  va_list more;
  va_start(more, flags);
  void* const place = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  if (!is_ours(at, __builtin_return_address(0))) {
    static auto* const call = real<decltype(::mremap)>("mremap");
    return call(at, bytes, wanted, flags, place);
  }
  if (wanted <= bytes) {
    return at;
  }
  if (flags != MREMAP_MAYMOVE) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const moved = map(wanted);
  if (moved != MAP_FAILED) {
    std::memcpy(moved, at, bytes);
    (void)weft::dsm::release_block(at);
  }
  return moved;
}

}  // extern "C"
#pragma GCC visibility pop
