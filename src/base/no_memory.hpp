// What is said when there is no memory for what containers allocate.
#pragma once

#include <cstddef>

namespace weft::base {

using NoMemory = void (*)(std::size_t bytes) noexcept;

/// Ends this process with a line: it needs so many bytes more.
void no_memory(std::size_t bytes) noexcept;

/// Has somebody else say it. Each library has its own copy of this room, of which only libweft.so's knows which PE
/// speaks and who has to hear of it. Null: no change.
void set_no_memory(NoMemory how) noexcept;

}  // namespace weft::base
