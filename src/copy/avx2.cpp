#include <immintrin.h>

#include "copy/routines.hpp"
#include "copy/vector_loop.hpp"

namespace weft::copy {
namespace {

struct Vector {
  static constexpr std::size_t kBytes = 32;
  static __m256i load(const char* at) noexcept { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }
  static void store(char* at, __m256i value) noexcept { _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), value); }
  static void store_aligned(char* at, __m256i value) noexcept {
    _mm256_store_si256(reinterpret_cast<__m256i*>(at), value);
  }
};

struct Streaming : Vector {
  static void store_aligned(char* at, __m256i value) noexcept {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(at), value);
  }
};

}  // namespace

void avx2(void* to, const void* from, std::size_t bytes) noexcept { copy_with<Vector>(to, from, bytes); }

void streaming(void* to, const void* from, std::size_t bytes) noexcept {
  copy_with<Streaming>(to, from, bytes);
  // Streaming stores are not ordered among others: what is written after this call must not be seen before them.
  _mm_sfence();
}

}  // namespace weft::copy
