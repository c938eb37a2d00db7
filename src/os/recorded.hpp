// Files that a process counts in while it runs, so that what was counted is there however it ends.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.hpp"

namespace weft::os {

/// Makes the folder, and says what is wrong with it. No harm when it is there.
base::Result<void> make_folder(const char* folder) noexcept;

/// Maps a part of a file, shared; `flags` are further ones of open(). Room for it is claimed on the disk: one that
/// fills up later must not end the program.
base::Result<void*> map_recorded(const char* path, int flags, std::uint64_t offset, std::uint64_t bytes) noexcept;

/// The machine's name and the executable's path, cut where there is no room. They end with a zero.
void describe_process(std::span<char> host, std::span<char> program) noexcept;

}  // namespace weft::os
