// What copies found to be the fastest on this machine, from one program to the next: a file of the user's, for each
// type of processor one,
//
//     weft-copies 2 glibc 2.36
//     2048 avx2 4
//     16777216 streaming 1
//
// The numbers are the least size of a class (copy.hpp) and how many programs in a row found the same, some
// of which count more than once. It holds nothing
// that a program needs: where it is missing, damaged, old, somebody else's or for another C library, copies find out.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "copy/classes.hpp"
#include "copy/copy.hpp"

namespace weft::copy {

inline constexpr std::size_t kFoundRoom = 2048;  // such a file is no longer
inline constexpr std::size_t kFoundPathRoom = 4096;

struct Found {
  struct Class {
    Choice choice = Choice::kAuto;
    int programs = 0;  // that found it, one after the other
    bool operator==(const Class&) const = default;
  };
  std::array<Class, kClasses> classes{};
};

/// A choice that so many programs agreed on is taken without another trial. One whose trials nothing came between
/// counts as two of them, since all of one program may have been disturbed; and as all of them where the choice does
/// not matter.
inline constexpr int kAgreed = 4;
inline constexpr int kUndisturbed = 2;

/// Of a file's text. Nothing is found where it is not such a file of this C library; lines that say nothing are passed
/// over, and so are routines that this processor lacks.
Found read_found(std::string_view text) noexcept;

/// Such a text; its length. There is always room.
std::size_t write_found(const Found& found, std::span<char, kFoundRoom> text) noexcept;

/// The same for other PEs of the node: a byte for each class, and nothing is found where that makes no sense.
void pack_found(const Found& found, std::span<std::uint64_t, kToldWords> words) noexcept;
Found unpack_found(std::span<const std::uint64_t, kToldWords> words) noexcept;

/// What is known after a program that has found `now`: what was agreed on stays but for what is as certain.
Found agree(const Found& before, const Found& now) noexcept;

/// Where the file lies when nobody names it. False: nowhere.
bool found_path(std::span<char> path) noexcept;

/// The file's name: `named`, which is WEFT_COPY_FILE, or the usual one for null. Empty: there is none.
void found_name(const char* named, std::span<char, kFoundPathRoom> name) noexcept;

/// Stands for such a name among the PEs of a node; never 0.
std::uint32_t mark_of(const char* name) noexcept;

/// Nothing where there is no file that can be believed.
Found load_found(const char* path) noexcept;

/// Adds what this program found, unless somebody else is just doing so. What has changed since it loaded `began` is
/// left alone: it may be from other PEs of the same program, which all were disturbed by the same.
void keep_found(const char* path, const Found& began, const Found& now) noexcept;

}  // namespace weft::copy
