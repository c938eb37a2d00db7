// Atomic operations on words of shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsm/state.hpp"

namespace weft::dsm {

struct Part;

enum class Op : std::uint8_t { kLoad, kStore, kSwap, kCompareSwap, kAdd, kAnd, kOr, kXor, kAddReal };
inline constexpr int kOps = 9;

/// The values are in the lowest bytes. Of a real number they are its bits.
struct WordOp {
  Op op;
  std::uint8_t bytes;  // 1, 2, 4 or 8; of kAddReal: of the type, 4 or 8
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
};

/// Behind an operation: the page's home has to know that it was none of the program's stores there (on_compared()).
void tell_home(const Part& home, std::uint64_t offset, Op op) noexcept;
/// On a word in this processor's reach. What was there before.
std::uint64_t carry_out(void* word, const WordOp& what) noexcept;

/// Of what operations are asked for: where it lies in the range; kNowhere: it is not in shared memory, or not at a
/// multiple of its size.
inline std::uint64_t offset_of_operand(const void* at, std::uint64_t bytes) noexcept {
  const std::uint64_t offset = offset_in_range(at, bytes);
  return offset != kNowhere && offset % bytes == 0 ? offset : kNowhere;
}

std::uint64_t operate_by_pages(std::uint64_t offset, const WordOp& what) noexcept;
/// By pages, of a word that is also read by plain loads, and told of: what is there is in a copy here too from then on,
/// and the next release announces it, as who changed the word may not have yet.
std::uint64_t look_by_pages(std::uint64_t offset, std::uint8_t bytes) noexcept;
/// By pages: an operation that orders nothing has to release before all the same, as what this PE has stored there is
/// not at its home yet; or as more results are to be announced than are worth keeping.
bool is_held_back(std::uint64_t offset, std::uint8_t bytes) noexcept;
/// The word at its home. It has that offset.
inline std::uint64_t operate(const void* word, std::uint64_t offset, const WordOp& what) noexcept {
  return g.way == Way::kMemory ? carry_out(const_cast<void*>(word), what) : operate_by_pages(offset, what);
}

}  // namespace weft::dsm
