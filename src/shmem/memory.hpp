// The symmetric heap's routines (OpenSHMEM 1.6, section 9.3). All are collective over the world, with the barriers the
// standard asks for; those barriers complete the default context's operations only.
#pragma once

#include <cstddef>

namespace weft::shmem {

void* heap_malloc(std::size_t size) noexcept;
void* heap_malloc_with_hints(std::size_t size, long hints) noexcept;
void* heap_calloc(std::size_t count, std::size_t size) noexcept;
void* heap_align(std::size_t alignment, std::size_t size) noexcept;
void* heap_realloc(void* ptr, std::size_t size) noexcept;
void heap_free(void* ptr) noexcept;

}  // namespace weft::shmem
