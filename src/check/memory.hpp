// The allocation routines as safe mode has them: blocks with zones behind them, and a quarantine for freed ones.
// They take from libweft.so what they give, and have the barriers the standard asks for.
#pragma once

#include <cstddef>

#include "interpose/invocation.hpp"

namespace weft::check {

using interpose::Invocation;

void* allocate(const Invocation& call) noexcept;
void* reallocate(const Invocation& call) noexcept;
void release(const Invocation& call) noexcept;

/// After shmem_init: the book is empty.
void open_book() noexcept;
/// Last finalize: looks at all blocks once more.
void close_book() noexcept;

}  // namespace weft::check
