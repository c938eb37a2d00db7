// The image of one process: nothing is shared, nobody is told.
#include <cstdlib>

#include "omp/image/image.hpp"

namespace weft::omp::image {

int process() noexcept { return 0; }
int processes() noexcept { return 1; }
void everywhere(void (*)(void*), void*) noexcept {}
void barrier() noexcept {}
void release() noexcept {}
void acquire() noexcept {}
void* allocate(std::size_t bytes) noexcept { return std::malloc(bytes); }
void free(void* block) noexcept { std::free(block); }
bool is_shared(const void*) noexcept { return false; }
void* stack(std::size_t) noexcept { return nullptr; }

}  // namespace weft::omp::image
