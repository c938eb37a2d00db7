#include <immintrin.h>

#include "dsm/protocol/ways.hpp"

namespace weft::dsm::protocol {
namespace {

// Of pages, which are aligned, processors with AVX move 16 bytes or more at a time; buffers of Weft's own may begin
// anywhere. Volatile, so that none is loaded twice.
struct Line {
  __m256i low;
  __m256i high;

  static Line load(const std::byte* from) noexcept {
    const volatile __m256i_u* const at = reinterpret_cast<const volatile __m256i_u*>(from);
    return {at[0], at[1]};
  }
  std::uint64_t differing(const Line& other) const noexcept {
    const __m256i both = _mm256_or_si256(_mm256_xor_si256(low, other.low), _mm256_xor_si256(high, other.high));
    if (_mm256_testz_si256(both, both) != 0) {
      return 0;
    }
    const auto same = [](__m256i a, __m256i b) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b)))};
    };
    return ~(same(low, other.low) | same(high, other.high) << 32);
  }
  void store(std::byte* to) const noexcept {
    volatile __m256i_u* const at = reinterpret_cast<volatile __m256i_u*>(to);
    at[0] = low;
    at[1] = high;
  }
  void store_some(std::byte* to, std::uint64_t bytes) const noexcept {
    if (bytes == UINT64_MAX) {
      store(to);
    } else {
      store_some_words(to, reinterpret_cast<const std::byte*>(this), bytes);
    }
  }
};

}  // namespace

constinit const Ways kByAvx2 = WaysBy<Line>::kWays;

}  // namespace weft::dsm::protocol
