// For functions that stand before others of the same name.
#pragma once

#include <dlfcn.h>

namespace weft::omp::program {

/// The next one of that name: the C library's, or Fortran's.
template <class Function>
Function* real(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace weft::omp::program
