// Who shares memory with this PE is found by opening a file of the other process, not believed from a launcher: their
// counts and maps of nodes have been seen to be wrong, and names of hosts may be the same on two.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"

namespace weft::pmi {

/// A file in memory of a process, as others of its machine find it.
struct FileOf {
  std::uint64_t inode = 0;
  std::int32_t pid = 0;
  std::int32_t fd = -1;
};
base::Result<FileOf> describe_file(int fd) noexcept;
/// Opens it through /proc; an error where that is not allowed, or where another file is found in its place.
base::Result<int> open_file(const FileOf& file) noexcept;
/// The descriptor still is what it was.
bool is_file(int fd, std::uint64_t inode) noexcept;

/// A random number that only this process has, and who can open its files.
struct Token {
  std::uint64_t value[2] = {};
};
/// Compares all of it, in a time that says nothing of where they differ.
bool same(const Token& one, const Token& other) noexcept;

base::Result<Token> make_token() noexcept;
/// A file that holds the token; the descriptor.
base::Result<int> make_token_file(const Token& token) noexcept;
/// Empty when the file at that place holds that token: its process shares this machine with us. Else why that is not
/// so.
base::Result<void> prove(const FileOf& file, const Token& token) noexcept;

}  // namespace weft::pmi
