#include "os/start_again.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace weft::os {
namespace {

struct Search {
  std::uintptr_t own;
  std::uintptr_t caller;
  std::uintptr_t linker;
  bool others = false;
};

// 0: of none.
std::uintptr_t library_of(const void* at) noexcept {
  Dl_info info{};
  return at == nullptr || ::dladdr(at, &info) == 0 ? 0 : reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

// Only this library, the one whose constructor it is and the dynamic linker are on the stack while the program starts;
// dlopen has a caller.
_Unwind_Reason_Code look_at(_Unwind_Context* frame, void* into) {
  auto* search = static_cast<Search*>(into);
  const std::uintptr_t base = library_of(reinterpret_cast<const void*>(_Unwind_GetIP(frame)));
  if (base == 0) {
    return _URC_NO_REASON;
  }
  search->others = search->others || (base != search->own && base != search->caller && base != search->linker);
  return search->others ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool under_valgrind() noexcept {
  // Its own start of the program puts a library of this name first.
  const char* preloaded = ::secure_getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "vgpreload_") != nullptr;
}

}  // namespace

bool is_starting(const void* within) noexcept {
  Search search{library_of(reinterpret_cast<const void*>(&is_starting)), library_of(within), _r_debug.r_ldbase};
  if (search.own == 0) {
    return false;
  }
  _Unwind_Backtrace(look_at, &search);
  return !search.others;
}

base::Error start_again(char* const* argv) noexcept {
  if (under_valgrind()) {
    return base::Error::make("valgrind would not follow");
  }
  if (::getauxval(AT_BASE) == 0) {
    return base::Error::make("the program was started by a call of the dynamic linker");
  }
  // By its path where there is one: the kernel names a process after the file it executes.
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) {
    path[length] = '\0';
    (void)::execve(path, argv, environ);
  }
  (void)::execve("/proc/self/exe", argv, environ);
  return base::Error::make("cannot start the program anew: %s", std::strerror(errno));
}

}  // namespace weft::os
