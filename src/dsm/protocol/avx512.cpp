#include <immintrin.h>

#include "dsm/protocol/ways.hpp"

namespace weft::dsm::protocol {
namespace {

// See avx2.cpp. A byte whose bit is not set is not stored at all.
struct Line {
  __m512i all;

  static Line load(const std::byte* from) noexcept { return {*reinterpret_cast<const volatile __m512i_u*>(from)}; }
  std::uint64_t differing(const Line& other) const noexcept { return _mm512_cmpneq_epi8_mask(all, other.all); }
  void store(std::byte* to) const noexcept { *reinterpret_cast<volatile __m512i_u*>(to) = all; }
  void store_some(std::byte* to, std::uint64_t bytes) const noexcept { _mm512_mask_storeu_epi8(to, bytes, all); }
};

}  // namespace

constinit const Ways kByAvx512 = WaysBy<Line>::kWays;

}  // namespace weft::dsm::protocol
