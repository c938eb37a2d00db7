// What differs between a page and its twin, byte by byte: two PEs may write neighbouring bytes of a page at a time.
//
// Threads of the program may write the page meanwhile, so each word of it is read once, and what was read is what the
// twin is from then on and what goes home.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::dsm::protocol {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kLineBytes = 64;
inline constexpr std::size_t kLines = kPageBytes / kLineBytes;

/// Which bytes: a bit for each line that has some, and in it a bit for each byte.
struct Changes {
  std::uint64_t lines = 0;
  std::uint64_t bytes[kLines];  // of lines that have a bit
};

/// True: some. The twin becomes what the page was. Both begin at multiples of kLineBytes.
bool compare(const std::byte* page, std::byte* twin, Changes* changes) noexcept;

/// Those bytes, and no others, are stored to the page.
void apply(std::byte* page, const std::byte* from, const Changes& changes) noexcept;

/// Bytes of `fresh` that are not as in the twin are stored to page and twin, no others.
void merge(std::byte* page, std::byte* twin, const std::byte* fresh) noexcept;
/// Lines of somebody who writes words of them, locks among them, meanwhile: whole words, each of them loaded once.
void copy_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

/// As it goes to other nodes: the lines, and for each of them which bytes and those bytes. At most so many bytes.
inline constexpr std::size_t kMostDiffBytes = sizeof(std::uint64_t) + kLines * (sizeof(std::uint64_t) + kLineBytes);
std::size_t encode(const std::byte* from, const Changes& changes, std::byte* into) noexcept;
/// How long what begins there is; 0: it ends too soon.
std::size_t length_of_coded(std::span<const std::byte> coded) noexcept;
/// Stores them to the page. How many bytes of `coded` it was; 0, with nothing stored, where that is nothing that
/// encode() makes.
std::size_t apply_coded(std::byte* page, std::span<const std::byte> coded) noexcept;
/// The same of what has the length that length_of_coded() has told: nothing is checked any more, so any other length,
/// and bytes that somebody may still change, read and store what is not theirs.
void apply_whole(std::byte* page, std::span<const std::byte> coded) noexcept;

}  // namespace weft::dsm::protocol
