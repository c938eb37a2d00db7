#include <immintrin.h>

#include "copy/routines.hpp"
#include "copy/vector_loop.hpp"

namespace weft::copy {
namespace {

struct Vector {
  static constexpr std::size_t kBytes = 64;
  static __m512i load(const char* at) noexcept { return _mm512_loadu_si512(reinterpret_cast<const __m512i*>(at)); }
  static void store(char* at, __m512i value) noexcept { _mm512_storeu_si512(reinterpret_cast<__m512i*>(at), value); }
  static void store_aligned(char* at, __m512i value) noexcept {
    _mm512_store_si512(reinterpret_cast<__m512i*>(at), value);
  }
};

}  // namespace

void avx512(void* to, const void* from, std::size_t bytes) noexcept { copy_with<Vector>(to, from, bytes); }

}  // namespace weft::copy
