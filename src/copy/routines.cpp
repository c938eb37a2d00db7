#include "copy/routines.hpp"

#include <cstring>

namespace weft::copy {

void libc(void* to, const void* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }

#if defined(__x86_64__)
void rep_movsb(void* to, const void* from, std::size_t bytes) noexcept {
  __asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#endif

}  // namespace weft::copy
