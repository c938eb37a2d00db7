// A line's changed bytes are put side by side, and back to their places, by an instruction each.
//
// No function of a header that is not always inlined: where it is not (-O0) the linker may take the one that was
// compiled here, for processors that have these instructions, for all others as well.
#include <immintrin.h>

#include <cstring>

#include "dsm/protocol/ways.hpp"

namespace weft::dsm::protocol {
namespace {

// The bits of so many bytes, of 64 at most.
std::uint64_t first_bytes(std::size_t n) noexcept {
  return n == kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// Whole lines are stored: what is behind a line's bytes has room, as no line takes more than there is for it. From the
// register, as storing only some bytes of what is put together is much slower on some processors.
std::size_t compress(const std::byte* from, const Changes& changes, std::byte* into) noexcept {
  std::byte* end = into;
  std::memcpy(end, &changes.lines, sizeof changes.lines);
  end += sizeof changes.lines;
  for (std::uint64_t lines = changes.lines; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(__builtin_ctzll(lines));
    const std::uint64_t bytes = changes.bytes[line];
    std::memcpy(end, &bytes, sizeof bytes);
    end += sizeof bytes;
    const __m512i all = _mm512_loadu_si512(from + line * kLineBytes);
    _mm512_storeu_si512(end, _mm512_maskz_compress_epi8(bytes, all));
    end += __builtin_popcountll(bytes);
  }
  return static_cast<std::size_t>(end - into);
}

// Nothing is read behind the end, and nothing stored but bytes that changed.
void expand(std::byte* page, const std::byte* coded, const std::byte* /*end*/) noexcept {
  std::uint64_t lines = 0;
  std::memcpy(&lines, coded, sizeof lines);
  coded += sizeof lines;
  for (; lines != 0; lines &= lines - 1) {
    const auto line = static_cast<std::size_t>(__builtin_ctzll(lines));
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, coded, sizeof bytes);
    coded += sizeof bytes;
    const auto n = static_cast<std::size_t>(__builtin_popcountll(bytes));
    const __m512i together = _mm512_maskz_loadu_epi8(first_bytes(n), coded);
    _mm512_mask_storeu_epi8(page + line * kLineBytes, bytes, _mm512_maskz_expand_epi8(bytes, together));
    coded += n;
  }
}

}  // namespace

constinit const Coding kCodingByVbmi2 = {compress, expand};

}  // namespace weft::dsm::protocol
