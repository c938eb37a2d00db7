// The C library's functions that names.def lists, as it has them itself.
#pragma once

#include <atomic>
#include <cstddef>

namespace weft::dsm::libc {

enum class Name : std::size_t {
#define NAME(name) k_##name,
#include "dsm/libc/names.def"
#undef NAME
  kNames
};

/// Found when it is first asked for, or when the library was loaded: what may be called in handlers of signals does not
/// look for names there. Ends the program where the C library has none of that name.
void* real(Name name) noexcept;

}  // namespace weft::dsm::libc

#define WEFT_REAL(name) reinterpret_cast<decltype(&::name)>(weft::dsm::libc::real(weft::dsm::libc::Name::k_##name))
