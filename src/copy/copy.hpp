// The copy that puts, gets and collectives make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/result.hpp"
#include "copy/routines.hpp"

namespace weft::copy {

/// Below this size the C library's memcpy is called: what a better one could win is less than asking for it costs, and
/// it does not use strings' instructions yet.
inline constexpr std::size_t kSmall = 2048;

/// Nothing is tried before copies of about a size have moved so many bytes by a guess: trials cost as much as some
/// 3 MiB, which a program that makes a hundred copies would notice and another one does not.
inline constexpr std::size_t kByGuess = std::size_t{16} << 20;

/// Copies bytes, which may be 0; the two do not overlap. From kSmall on with the routine that was set, or that is
/// the fastest for about this size (to the power of two) as far as is known: by a guess, then by trials, in this
/// program or in earlier ones. Where the target lies just ahead of the source in a page, strings' instructions are left
/// out, which are slow there. Any thread may call it.
inline void copy(void* to, const void* from, std::size_t bytes) noexcept;

/// The same of kSmall bytes and more.
void copy_large(void* to, const void* from, std::size_t bytes) noexcept;

/// Elements of 16 bytes. Two words and not __int128: a program's buffers need no 16-byte alignment.
struct Bits128 {
  std::uint64_t half[2];
};

/// In the order of api/algorithms.def.
enum class Choice : std::uint8_t {
  kAuto,
#define WEFT_COPY(name, text) k_##name,
#include "../../api/algorithms.def"
};

/// From now on copy() uses this routine. An error where the processor lacks it.
base::Result<void> choose(Choice choice) noexcept;

/// What copy() takes for this one as far as that is known, without finding out: for who must not be inside of that when
/// a fault ends the copy.
Routine known(const void* to, const void* from, std::size_t bytes) noexcept;

/// At the start, when no other thread copies: reads what earlier programs found in WEFT_COPY_FILE, which is `named` or
/// null, where this one's will be kept. Without this call nothing is read or kept.
void remember(const char* named) noexcept;

/// The same for a node of several PEs: one has read the file and tells, the others take what it told. Such words may
/// say anything: what makes no sense is passed over.
inline constexpr std::size_t kToldWords = 4;
/// False: copies of this PE are not by what was found, and others ask the file.
bool tell(std::span<std::uint64_t, kToldWords> words) noexcept;
void take(std::span<const std::uint64_t, kToldWords> words, const char* named) noexcept;

/// At the end of a program: keeps what was found since the last time. Any thread may still copy.
void keep() noexcept;

/// Null where this processor lacks it, and for kAuto.
Routine routine(Choice choice) noexcept;

/// What copy() uses now for copies of this size to a target whose address is that of the source and so much more: kAuto
/// while it guesses or is still finding out.
Choice chosen(std::size_t bytes, std::uintptr_t distance = 0) noexcept;

/// In one instruction, wherever they lie.
template <class Word>
inline void store_once(void* to, const void* from) noexcept {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(to, &word, sizeof word);
}

/// At least one byte and less than kSmall.
inline void copy_short(void* to, const void* from, std::size_t bytes) noexcept {
  // One or two words, which are much of what is put, are done before the C library's function has looked at the length.
  // A word that somebody may wait for is stored once: who has seen it may answer and set it back at once, and a second
  // store, as the C library makes of as many bytes, would bring the old news again.
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kHalf = sizeof(std::uint32_t);
  constexpr std::size_t kQuarter = sizeof(std::uint16_t);
  if (bytes == kWord) {
    store_once<std::uint64_t>(to, from);
    return;
  }
  if (bytes - kWord <= kWord) {
    // The halves may overlap: both are read before one is written. Nobody waits for 9 to 15 bytes as for a word, so the
    // bytes that are stored twice do no harm.
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::memcpy(&first, from, kWord);
    std::memcpy(&last, static_cast<const std::byte*>(from) + bytes - kWord, kWord);
    std::memcpy(to, &first, kWord);
    std::memcpy(static_cast<std::byte*>(to) + bytes - kWord, &last, kWord);
    return;
  }
  if (bytes == kHalf) {
    store_once<std::uint32_t>(to, from);
    return;
  }
  if (bytes == kQuarter) {
    store_once<std::uint16_t>(to, from);
    return;
  }
  // Hides from the compiler that it is less than kSmall: gcc would make strings' instructions of the call, which take
  // two to four times as long.
  if (!__builtin_constant_p(bytes)) {
    __asm__("" : "+r"(bytes));
  }
  std::memcpy(to, from, bytes);
}

inline void copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes >= kSmall) {
    copy_large(to, from, bytes);
  } else if (bytes > 0) {  // the addresses of nothing may be null, which memcpy's may not
    copy_short(to, from, bytes);
  }
}

}  // namespace weft::copy
