// What copies found to be the fastest on this machine, from one program to the next: a file of the user's, for each
// type of processor one,
//
//     weft-copies 1 glibc 2.36
//     2048 avx2 3
//     16777216 streaming 1
//
// The numbers are the least size of a class (copy.hpp) and how many programs in a row found the same. It holds nothing
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
  };
  std::array<Class, kClasses> classes{};
};

/// A choice that so many programs agreed on is taken without another trial: one may have been disturbed.
inline constexpr int kAgreed = 2;

/// Of a file's text. Nothing is found where it is not such a file of this C library; lines that say nothing are passed
/// over, and so are routines that this processor lacks.
Found read_found(std::string_view text) noexcept;

/// Such a text; its length. There is always room.
std::size_t write_found(const Found& found, std::span<char, kFoundRoom> text) noexcept;

/// What is known after a program that has found `now`.
Found agree(const Found& before, const Found& now) noexcept;

/// Where the file lies when nobody names it. Some 20 us. False: nowhere.
bool found_path(std::span<char> path) noexcept;

/// Nothing where there is no file that can be believed.
Found load_found(const char* path) noexcept;

/// Adds what this program found, unless somebody else is just doing so.
void keep_found(const char* path, const Found& now) noexcept;

}  // namespace weft::copy
