// Libraries that only some jobs need, and that lie beside libweft.so.
#pragma once

#include "base/no_memory.hpp"
#include "base/result.hpp"

namespace weft::module {

/// The function of that name in a library, by the folder that libweft.so was loaded from, and no search: so an
/// installation can be moved, and the two are always of one version. The library stays: Weft may start again, and what
/// such a library has loaded cannot always be unloaded.
base::Result<void*> function_of(const char* library, const char* function) noexcept;

/// What each such library exports, so that it ends as libweft.so does when there is no memory (inside.cpp).
using NoMemoryFunction = void (*)(base::NoMemory how);
inline constexpr const char* kNoMemoryFunction = "weft_module_no_memory";

}  // namespace weft::module
